// Random streams through the window steps and through the model: results, late records, watermarks and their order are equal.
#include "window_model.hpp"

#include <gtest/gtest.h>

#include <random>

#include "spillway/windows/aligned_window_step.hpp"
#include "spillway/windows/count_window_step.hpp"
#include "spillway/windows/session_window_step.hpp"
#include "spillway/windows/window_process_step.hpp"

namespace {

using namespace window_test;

struct input {
  bool is_watermark = false;
  std::uint32_t key = 0;
  std::int64_t time = 0;
};

class random_stream {
 public:
  explicit random_stream(std::uint64_t seed) : random_(seed) {}

  std::int64_t between(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  bool one_in(int n) { return between(1, n) == 1; }
  template <class T>
  T pick(std::initializer_list<T> all) {
    return all.begin()[between(0, static_cast<std::int64_t>(all.size()) - 1)];
  }

  std::vector<input> make() {
    constexpr std::int64_t top = std::numeric_limits<std::int64_t>::max();
    const std::int64_t keys = pick({1, 2, 3, 8});
    const std::int64_t spread = pick({0, 3, 10, 40, 200});
    const std::int64_t base = pick<std::int64_t>({0, 0, 0, -60, 1000, top - 150, -top + 150});
    const std::int64_t step = pick({1, 1, 3, 15});
    std::vector<input> all;
    std::int64_t now = base;
    std::int64_t watermark = -top - 1;
    const auto held = [](std::int64_t t) { return std::max(t, -top); };
    for (auto n = between(1, 60); n > 0; --n) {
      now = spillway::saturating_add(now, between(0, step));
      if (one_in(25)) now = spillway::saturating_add(now, between(0, 100));
      if (one_in(4)) {
        const std::int64_t w = held(spillway::saturating_sub(now, between(-3, spread + 5)));
        if (w > watermark && w < top) all.push_back({true, 0, watermark = w});
      } else {
        all.push_back(
            {false, static_cast<std::uint32_t>(between(1, keys)), held(spillway::saturating_sub(now, between(0, spread)))});
        if (base > top / 2 && one_in(20)) all.back().time = top;
      }
    }
    if (!one_in(4)) all.push_back({true, 0, top});
    return all;
  }

  model_config aligned() {
    model_config c;
    c.what = model_config::aligned;
    c.size = pick({1, 2, 3, 5, 10, 12, 40, 60});
    c.slide = one_in(3) ? c.size : pick({1, 2, 3, 4, 5, 7, 10, 25});
    if (c.size / c.slide > 30) c.slide = 2;
    c.offset = between(-c.slide + 1, c.slide - 1);
    c.lateness = pick({0, 0, 1, 5, 30, 1000});
    return c;
  }
  model_config session() {
    model_config c;
    c.what = model_config::session;
    c.gap = pick({1, 2, 4, 8, 20});
    c.lateness = pick({0, 0, 1, 5, 30, 1000});
    return c;
  }
  model_config counted() {
    model_config c;
    c.what = model_config::counted;
    c.count = pick({1, 2, 3, 7});
    return c;
  }

 private:
  std::mt19937_64 random_;
};

std::string describe(std::uint64_t seed, const model_config& c, const std::vector<input>& inputs) {
  std::string text = "seed " + std::to_string(seed) + " kind " + std::to_string(c.what) + " size " + at(c.size) + " slide " +
                     at(c.slide) + " offset " + at(c.offset) + " gap " + at(c.gap) + " count " + at(c.count) + " lateness " +
                     at(c.lateness) + "\n";
  int id = 0;
  for (const input& i : inputs) {
    text += i.is_watermark ? "  watermark " + at(i.time) + "\n"
                           : "  record " + std::to_string(id++) + " key " + std::to_string(i.key) + " at " + at(i.time) + "\n";
  }
  return text;
}

enum class checked_counts { per_key_window, per_window };

// Drives step and model with the same inputs. The edge behind is full at random, and the stage goes on at random moments.
template <class Step>
bool agree(Step&& make, std::uint64_t seed, const model_config& config, const std::vector<input>& inputs, checked_counts which) {
  ids::forget_alive();
  window_model model(config);
  driven<std::remove_cvref_t<decltype(make())>> real(make());
  std::mt19937_64 random(seed * 7 + 1);
  const int fullness = static_cast<int>(seed % 4);  // 0: never full
  real.out.is_held = [&] { return fullness != 0 && static_cast<int>(random() % 4) < fullness; };
  int id = 0;
  for (const input& i : inputs) {
    if (i.is_watermark) {
      model.watermark(i.time);
      real.watermark(i.time);
    } else {
      model.record(i.key, i.time, id);
      real.record(i.key, i.time, id);
      ++id;
    }
    for (auto n = random() % 4; n > 0; --n) real.step.resume(real.out);
  }
  for (int n = 0; !real.step.resume(real.out) && n < 100000; ++n) {}
  EXPECT_EQ(real.out.lines, model.lines) << describe(seed, config, inputs);
  const auto& counts = real.step.counts();
  EXPECT_EQ(counts.late().get(), model.late) << describe(seed, config, inputs);
  EXPECT_EQ(counts.no_window().get(), model.no_window) << describe(seed, config, inputs);
  EXPECT_EQ(counts.open_keys().get(), model.open_keys()) << describe(seed, config, inputs);
  const std::size_t open_windows = which == checked_counts::per_window ? model.open_windows() : model.windows_of_keys();
  EXPECT_EQ(counts.open_windows().get(), open_windows) << describe(seed, config, inputs);
  return !testing::Test::HasFailure();
}

struct show_all {
  using main = std::string;
  using emits = sw::emits<>;
  void on_window(auto& ctx, std::uint32_t key, const sw::time_window& w, auto elements) {
    std::vector<int> all;
    for (const item& r : elements) all.push_back(r.id);
    EXPECT_EQ(all.size(), elements.size());
    ctx.emit(std::to_string(key) + " " + span(w) + " " + list(all));
  }
};

constexpr std::uint64_t streams = 2500;

sw::aligned_windows windows_of(const model_config& c) {
  return sw::sliding(nanoseconds{c.size}, nanoseconds{c.slide}, {nanoseconds{c.offset}});
}
sw::window_options options_of(const model_config& c) { return {.allowed_lateness = nanoseconds{c.lateness}}; }

TEST(window_model, aligned_windows_with_an_aggregate_agree_with_the_model_on_random_streams) {
  for (std::uint64_t seed = 1; seed <= streams; ++seed) {
    random_stream random(seed);
    const model_config c = random.aligned();
    const auto inputs = random.make();
    using step = sw::aligned_window_step<item, std::uint32_t, late_tag, ids>;
    if (!agree([&] { return step(windows_of(c), options_of(c), ids{}); }, seed, c, inputs, checked_counts::per_window)) return;
    const bool ended = inputs.back().is_watermark && inputs.back().time == std::numeric_limits<std::int64_t>::max();
    const std::size_t left = ids::forget_alive();
    ASSERT_TRUE(!ended || left == 0) << left << " accumulators were not given back\n" << describe(seed, c, inputs);
  }
}

TEST(window_model, aligned_windows_with_all_elements_agree_with_the_model_on_random_streams) {
  for (std::uint64_t seed = 1; seed <= streams; ++seed) {
    random_stream random(seed);
    const model_config c = random.aligned();
    using step = sw::window_process_step<item, std::uint32_t, late_tag, sw::aligned_windows, show_all>;
    if (!agree([&] { return step(windows_of(c), options_of(c), show_all{}); }, seed, c, random.make(),
               checked_counts::per_key_window))
      return;
  }
}

TEST(window_model, sessions_with_an_aggregate_agree_with_the_model_on_random_streams) {
  for (std::uint64_t seed = 1; seed <= streams; ++seed) {
    random_stream random(seed);
    const model_config c = random.session();
    const auto inputs = random.make();
    using step = sw::session_window_step<item, std::uint32_t, late_tag, ids>;
    if (!agree([&] { return step(sw::session(nanoseconds{c.gap}), options_of(c), ids{}); }, seed, c, inputs,
               checked_counts::per_key_window))
      return;
    const bool ended = inputs.back().is_watermark && inputs.back().time == std::numeric_limits<std::int64_t>::max();
    const std::size_t left = ids::forget_alive();
    ASSERT_TRUE(!ended || left == 0) << left << " accumulators were not given back\n" << describe(seed, c, inputs);
  }
}

TEST(window_model, sessions_with_all_elements_agree_with_the_model_on_random_streams) {
  for (std::uint64_t seed = 1; seed <= streams; ++seed) {
    random_stream random(seed);
    const model_config c = random.session();
    using step = sw::window_process_step<item, std::uint32_t, late_tag, sw::session_windows, show_all>;
    if (!agree([&] { return step(sw::session(nanoseconds{c.gap}), options_of(c), show_all{}); }, seed, c, random.make(),
               checked_counts::per_key_window)) {
      return;
    }
  }
}

template <class Step>
struct with_resume : Step {
  using Step::Step;
  template <class Down>
  bool resume(Down&) {
    return true;
  }
};

TEST(window_model, count_windows_agree_with_the_model_on_random_streams) {
  for (std::uint64_t seed = 1; seed <= streams; ++seed) {
    random_stream random(seed);
    const model_config c = random.counted();
    const auto inputs = random.make();
    using aggregate = with_resume<sw::count_window_step<item, std::uint32_t, ids>>;
    using process = with_resume<sw::window_process_step<item, std::uint32_t, sw::no_tag, sw::count_windows, show_all>>;
    if (!agree([&] { return aggregate(sw::count_of(c.count), options_of(c), ids{}); }, seed, c, inputs,
               checked_counts::per_key_window))
      return;
    if (!agree([&] { return process(sw::count_of(c.count), options_of(c), show_all{}); }, seed, c, inputs,
               checked_counts::per_key_window))
      return;
    ids::forget_alive();
  }
}

}  // namespace
