#include "spillway/operators/watermarks.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>

#include "operator_fixture.hpp"
#include "spillway/time/ascending.hpp"
#include "spillway/time/bounded_out_of_orderness.hpp"
#include "spillway/time/punctuated.hpp"

namespace {

using namespace operator_test;
using namespace std::chrono_literals;

struct reading {
  sw::timestamp at;
  int id = 0;
  friend std::ostream& operator<<(std::ostream& out, const reading& r) { return out << 'r' << r.id; }
};

/// Says whatever it is told to.
struct scripted {
  std::vector<std::int64_t> says;
  std::size_t next = 0;
  sw::timestamp on_record(const int&, sw::timestamp) { return sw::timestamp{says[next++]}; }
};

auto as_time = [](int n) { return sw::timestamp{n}; };

TEST(watermarks, gives_records_their_time_and_sends_the_watermark_right_behind_the_record_that_advances_it) {
  auto chain = chain_of<reading, sw::untimed>(sw::watermarks(sw::bounded_out_of_orderness(10ns), &reading::at));
  chain.give_untimed(reading{sw::timestamp{100}, 1})
      .give_untimed(reading{sw::timestamp{95}, 2})
      .give_untimed(reading{sw::timestamp{120}, 3});
  EXPECT_EQ(chain.take(), (lines{"r1@100", "wm 89", "r2@95", "r3@120", "wm 109"}));
}

TEST(watermarks, never_goes_back_and_never_repeats_itself) {
  auto chain = chain_of<int>(sw::watermarks(scripted{{5, 5, 3, 7}}, as_time));
  for (int i = 1; i <= 4; ++i) chain.give(i, 0);
  EXPECT_EQ(chain.take(), (lines{"1@1", "wm 5", "2@2", "3@3", "4@4", "wm 7"}));
}

TEST(watermarks, never_sends_the_smallest_time) {
  auto chain = chain_of<int>(sw::watermarks(scripted{{sw::timestamp::minimum().ns}}, as_time));
  chain.give(1, 0);
  EXPECT_EQ(chain.take(), (lines{"1@1"}));
}

TEST(watermarks, ends_those_from_before_but_the_last) {
  auto chain = chain_of<int>(sw::watermarks(sw::ascending(), as_time));
  chain.watermark(1000).give(10, 0).watermark(2000).end();
  EXPECT_EQ(chain.take(), (lines{"10@10", "wm 9", "wm max", "end"}));
}

TEST(watermarks, sends_the_last_one_once) {
  auto chain = chain_of<int>(sw::watermarks(scripted{{sw::timestamp::maximum().ns}}, as_time));
  chain.give(1, 0).end();
  EXPECT_EQ(chain.take(), (lines{"1@1", "wm max", "end"}));
}

TEST(watermarks, replaces_the_time_that_a_record_had_or_keeps_it) {
  auto replaced = chain_of<int>(sw::watermarks(sw::ascending(), as_time));
  replaced.give(10, 77);
  EXPECT_EQ(replaced.take(), (lines{"10@10", "wm 9"}));

  auto kept = chain_of<int>(sw::watermarks(sw::ascending()));
  kept.give(10, 77);
  EXPECT_EQ(kept.take(), (lines{"10@77", "wm 76"}));
}

TEST(watermarks, takes_time_points_of_any_resolution) {
  auto chain =
      chain_of<int>(sw::watermarks(sw::ascending(), [](int n) { return std::chrono::sys_seconds(std::chrono::seconds(n)); }));
  chain.give(2, 0);
  EXPECT_EQ(chain.take(), (lines{"2@2000000000", "wm 1999999999"}));
}

TEST(watermarks, takes_generators_that_the_user_wrote_or_that_wait_for_marked_records) {
  auto chain = chain_of<int>(sw::watermarks(
      sw::punctuated([](int n, sw::timestamp t) { return n % 10 == 0 ? std::optional(t) : std::nullopt; }), as_time));
  chain.give(12, 0).give(20, 0).give(21, 0).give(30, 0);
  EXPECT_EQ(chain.take(), (lines{"12@12", "20@20", "wm 20", "21@21", "30@30", "wm 30"}));
}

TEST(watermarks, passes_records_that_only_move) {
  auto chain = chain_of<std::unique_ptr<int>>(
      sw::watermarks(sw::ascending(), [](const std::unique_ptr<int>& p) { return sw::timestamp{*p}; }));
  chain.give(std::make_unique<int>(10), 0);
  EXPECT_EQ(chain.take(), (lines{"*10@10", "wm 9"}));
}

TEST(watermarks, records_keep_their_time_only_while_it_can_be_found_in_them) {
  using input = sw::stream<int>;
  using found = decltype(sw::watermarks(sw::ascending(), as_time));
  using kept = decltype(sw::watermarks(sw::ascending()));
  using unsafe = decltype(sw::watermarks(scripted{}, as_time));
  static_assert(!std::is_same_v<found::output<input>::timing, sw::timed>);
  static_assert(std::is_same_v<found::output<input>::made<long>::timing, sw::timed>);
  static_assert(std::is_same_v<kept::output<input>::timing, sw::timed>);
  static_assert(std::is_same_v<unsafe::output<input>::timing, sw::timed>);
  SUCCEED();
}

}  // namespace
