// A pipeline inside an application: run again and again, several at a time, forked, with the application's own signals.
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>

#include "spillway/runtime/inlet.hpp"
#include "spillway/runtime/outlet.hpp"
#include "spillway/runtime/pipeline.hpp"
#include "spillway/runtime/push_source.hpp"
#include "tests/runtime/pipeline_fixture.hpp"

namespace {

using namespace pipeline_test;
using namespace std::chrono_literals;

#if defined(__has_feature)
constexpr bool under_tsan = __has_feature(thread_sanitizer);
constexpr bool sanitized = under_tsan || __has_feature(address_sanitizer);
#elif defined(__SANITIZE_THREAD__)
constexpr bool under_tsan = true;
constexpr bool sanitized = true;
#elif defined(__SANITIZE_ADDRESS__)
constexpr bool under_tsan = false;
constexpr bool sanitized = true;
#else
constexpr bool under_tsan = false;
constexpr bool sanitized = false;
#endif

// --- again and again ----------------------------------------------------------------------------------------------------------------------

inline constexpr sw::output_tag<"third", int> third{};

sw::pipeline make_pipeline(std::atomic<std::int64_t>& sum, int n) {
  auto a = sw::stage<"a">(sw::any_cpu{}, count_to(n) | sw::process<int>(sw::emits<third>{}, [](auto& ctx, int i) {
                                           i % 3 == 0 ? ctx.output(third, i) : ctx.emit(i);
                                         }));
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.capacity = 16}) | sw::sink([&](int i) { sum += i; }));
  auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(third) | sw::sink([&](int i) { sum += i; }));
  return sw::pipeline(std::move(a), std::move(b), std::move(c));
}

std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  statm >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

TEST(lifecycle, a_pipeline_is_made_and_run_a_hundred_times_and_leaves_no_thread_and_no_memory) {
  const std::size_t threads = thread_names().size();
  std::atomic<std::int64_t> sum{0};
  std::size_t after_warm_up = 0;
  for (int i = 0; i < 100; ++i) {
    make_pipeline(sum, 300).run();
    if (i == 20) after_warm_up = resident_bytes();
  }
  EXPECT_EQ(sum, 100 * 299 * 300 / 2);
  EXPECT_TRUE(threads_settle_at(threads));
  // Sanitizers keep memory of their own; elsewhere eighty pipelines of some 100 KiB each would show.
  if (!sanitized) {
    EXPECT_LT(resident_bytes(), after_warm_up + (std::size_t{4} << 20));
  }
}

TEST(lifecycle, pipelines_that_are_given_up_leave_nothing_either) {
  const std::size_t threads = thread_names().size();
  for (int i = 0; i < 100; ++i) {
    sw::push_source<int> in;
    auto a = sw::stage<"a">(sw::host_polled{}, in.source());
    auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.capacity = 4}) | sw::discard());
    sw::pipeline p(std::move(a), std::move(b));
    p.start();
    EXPECT_TRUE(in.push(i));
    if (i % 3 == 0) p.abort();
    if (i % 3 == 1) p.drain(10s);
  }
  EXPECT_TRUE(threads_settle_at(threads));
}

TEST(lifecycle, several_pipelines_run_in_one_process_at_the_same_time) {
  std::array<std::atomic<std::int64_t>, 4> sums{};
  std::vector<sw::pipeline> running;
  for (auto& sum : sums) running.push_back(make_pipeline(sum, 5'000));
  for (sw::pipeline& p : running) p.start({.idle = sw::idle_strategy::yield});
  std::atomic<std::int64_t> polled_sum{0};
  sw::pipeline polled = make_pipeline(polled_sum, 5'000);
  polled.start({.host_polled = true});
  while (!polled.done()) polled.poll();
  polled.join();
  for (sw::pipeline& p : running) p.join();
  for (auto& sum : sums) EXPECT_EQ(sum, 4'999 * 5'000 / 2);
  EXPECT_EQ(polled_sum, 4'999 * 5'000 / 2);
}

TEST(lifecycle, one_pipelines_failure_is_not_anothers) {
  std::atomic<std::int64_t> sum{0};
  sw::pipeline good = make_pipeline(sum, 5'000);
  auto s = sw::stage<"bad">(sw::any_cpu{}, count_for_ever() | sw::sink([](int n) {
                                             if (n == 100) throw std::runtime_error("bad");
                                           }));
  sw::pipeline bad(std::move(s));
  good.start();
  bad.start();
  EXPECT_THROW(bad.join(), sw::pipeline_error);
  good.join();
  EXPECT_EQ(sum, 4'999 * 5'000 / 2);
}

// --- shutdown -----------------------------------------------------------------------------------------------------------------------------

TEST(lifecycle, drain_then_abort_tell_what_a_stopped_consumer_left_on_each_edge) {
  sw::inlet<int> in({.capacity = 8, .producers = 1});
  std::atomic<bool> release{false};
  std::atomic<std::uint64_t> first_seen{0};
  auto a = sw::stage<"a">(sw::any_cpu{}, in.source());
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a, {.capacity = 4}) | sw::map([&](int n) {
                                           ++first_seen;
                                           return n;
                                         }));
  auto c = sw::stage<"c">(sw::any_cpu{}, sw::from(b, {.capacity = 4}) | sw::sink([&](int) {
                                           while (!release) std::this_thread::yield();
                                         }));
  sw::pipeline p(std::move(a), std::move(b), std::move(c));
  p.start();
  std::atomic<std::uint64_t> said{0};
  std::thread pusher([&, producer = in.producer()]() mutable {
    while (producer.push(1)) ++said;
  });
  // Everything is full from the sink back to the inlet.
  ASSERT_TRUE(eventually([&] {
    const auto e = p.edges();
    return e[1].counts.left >= 4 && e[0].counts.left >= 4 && in.left() == 8;
  }));
  EXPECT_FALSE(p.drain(10ms));
  pusher.join();  // stop woke it
  std::jthread later([&] {
    std::this_thread::sleep_for(20ms);
    release = true;
  });
  p.abort();
  const auto edges = p.edges();
  for (const auto& e : edges) EXPECT_TRUE(e.counts.balanced()) << e.from;
  EXPECT_EQ(edges[0].counts.consumed, first_seen);
  EXPECT_EQ(edges[0].counts.pushed, in.taken());
  EXPECT_EQ(in.taken() + in.left(), said);
  EXPECT_GT(edges[0].counts.left + edges[1].counts.left, 0u);
}

// --- fork ---------------------------------------------------------------------------------------------------------------------------------

/// Forks, runs `child` there, and returns its exit code: 0 for true, or 100 when a signal or the alarm ended it.
template <class F>
int in_child(F&& child) {
  const pid_t id = fork();
  if (id == 0) {
    alarm(20);  // a child that hangs is ended
    bool ok = false;
    try {
      ok = child();
    } catch (...) {
      _exit(3);
    }
    _exit(ok ? 0 : 1);
  }
  int status = 0;
  waitpid(id, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100;
}

template <class F>
bool is_refused(F&& f) {
  try {
    f();
  } catch (const std::logic_error& e) {
    return std::strstr(e.what(), "spillway: this pipeline was started before the fork") != nullptr;
  }
  return false;
}

TEST(lifecycle, a_forked_child_that_touches_a_running_pipeline_is_told_so) {
  sw::inlet<int> in({.producers = 2});
  auto producer = in.producer();
  sw::push_source<int> pushed;
  sw::outlet<int> out;
  auto a = sw::stage<"a">(sw::any_cpu{}, in.source());
  auto b = sw::stage<"b">(sw::host_polled{}, sw::from(a) | out.sink());
  auto c = sw::stage<"c">(sw::host_polled{}, pushed.source() | sw::discard());
  auto p = std::make_unique<sw::pipeline>(std::move(a), std::move(b), std::move(c));
  p->start();
  EXPECT_TRUE(producer.push(1));
  EXPECT_TRUE(pushed.push(1));
  ASSERT_TRUE(eventually([&] { return out.poll([](int) {}) == 1; }));
  const auto ignore = [](int) {};
  EXPECT_EQ(in_child([&] { return is_refused([&] { p->poll(); }); }), 0);
  EXPECT_EQ(in_child([&] { return is_refused([&] { p->join(); }); }), 0);
  EXPECT_EQ(in_child([&] { return is_refused([&] { p->wait_for(1s); }); }), 0);
  EXPECT_EQ(in_child([&] { return is_refused([&] { p->drain(1s); }); }), 0);
  EXPECT_EQ(in_child([&] { return is_refused([&] { p->abort(); }); }), 0);
  EXPECT_EQ(in_child([&] { return is_refused([&] { p->polled("b"); }); }), 0);
  EXPECT_EQ(in_child([&] { return is_refused([&] { producer.push(2); }); }), 0);
  EXPECT_EQ(in_child([&] { return is_refused([&] { producer.try_push(2); }); }), 0);
  EXPECT_EQ(in_child([&] { return is_refused([&] { in.producer(); }); }), 0);
  EXPECT_EQ(in_child([&] { return is_refused([&] { pushed.push(2); }); }), 0);
  EXPECT_EQ(in_child([&] { return is_refused([&] { out.poll(ignore); }); }), 0);
  EXPECT_EQ(in_child([&] {
              p->stop();
              return p->edges().size() == 1;
            }),
            0);
  EXPECT_TRUE(producer.push(2));  // the parent goes on
  in.close();
  pushed.close();
  int seen = 0;
  while (!out.done()) seen += static_cast<int>(out.poll(ignore));
  p->join();
  EXPECT_EQ(seen, 1);
}

TEST(lifecycle, the_destructors_do_nothing_in_a_forked_child) {
  sw::push_source<int> pushed;
  auto in = std::make_unique<sw::inlet<int>>(sw::inlet_options{.producers = 2});
  auto producer = std::make_unique<sw::inlet_producer<int>>(in->producer());
  auto a = sw::stage<"a">(sw::any_cpu{}, in->source());
  auto b = sw::stage<"b">(sw::any_cpu{}, sw::from(a) | sw::discard());
  auto c = sw::stage<"c">(sw::host_polled{}, pushed.source() | sw::discard());
  auto p = std::make_unique<sw::pipeline>(std::move(a), std::move(b), std::move(c));
  p->start({.watchdog = 10s});
  EXPECT_TRUE(pushed.push(1));
  EXPECT_TRUE(producer->push(1));
  EXPECT_TRUE(eventually([&] { return in->taken() == 1; }));
  EXPECT_EQ(in_child([&] {
              p.reset();
              producer.reset();
              in.reset();
              return true;
            }),
            0);
  p->abort();
  EXPECT_TRUE(p->edges()[0].counts.balanced());
}

TEST(lifecycle, a_pipeline_made_before_the_fork_may_be_started_in_the_child_and_another_made_there) {
  if (under_tsan) GTEST_SKIP() << "ThreadSanitizer lets no thread start in a child of a process with threads";
  EXPECT_EQ(in_child([] {
              // A child of the child, so that this one's first pipeline is not the process's first.
              std::atomic<std::int64_t> sum{0};
              sw::inlet<int> in;
              sw::pipeline p = make_pipeline(sum, 100);
              return in_child([&] {
                       p.run();
                       make_pipeline(sum, 100).run();
                       return sum == 2 * 4'950;
                     }) == 0;
            }),
            0);
}

// --- signals ------------------------------------------------------------------------------------------------------------------------------

std::atomic<int> interrupts{0};
void on_interrupt(int) { ++interrupts; }

bool same_action(const struct sigaction& a, const struct sigaction& b) {
  bool same = a.sa_handler == b.sa_handler && a.sa_flags == b.sa_flags;
  for (int s = 1; s < 32; ++s) same = same && sigismember(&a.sa_mask, s) == sigismember(&b.sa_mask, s);
  return same;
}

TEST(lifecycle, signal_handlers_and_masks_are_left_to_the_host) {
  interrupts = 0;
  struct sigaction mine{};
  mine.sa_handler = on_interrupt;
  struct sigaction saved{};
  ASSERT_EQ(sigaction(SIGINT, &mine, &saved), 0);
  std::array<struct sigaction, 32> before{};
  for (int s = 1; s < 32; ++s) sigaction(s, nullptr, &before[static_cast<std::size_t>(s)]);
  sigset_t mask_before;
  pthread_sigmask(SIG_BLOCK, nullptr, &mask_before);

  sigset_t mask_of_stage;
  std::atomic<bool> running{false};
  auto a = sw::stage<"a">(sw::any_cpu{}, count_for_ever() | sw::sink([&](int n) {
                                           if (n != 0) return;
                                           pthread_sigmask(SIG_BLOCK, nullptr, &mask_of_stage);
                                           running = true;
                                         }));
  sw::pipeline p(std::move(a));
  p.start({.watchdog = 1s});
  ASSERT_TRUE(eventually([&] { return running.load(); }));
  kill(getpid(), SIGINT);
  EXPECT_TRUE(eventually([] { return interrupts == 1; }));
  EXPECT_FALSE(p.done());
  p.stop();
  p.join();

  for (int s = 1; s < 32; ++s) {
    struct sigaction now{};
    sigaction(s, nullptr, &now);
    EXPECT_TRUE(same_action(before[static_cast<std::size_t>(s)], now)) << "signal " << s;
  }
  sigset_t mask_after;
  pthread_sigmask(SIG_BLOCK, nullptr, &mask_after);
  for (int s = 1; s < 32; ++s) {
    EXPECT_EQ(sigismember(&mask_before, s), sigismember(&mask_after, s)) << "signal " << s;
    EXPECT_EQ(sigismember(&mask_before, s), sigismember(&mask_of_stage, s)) << "signal " << s;
  }
  sigaction(SIGINT, &saved, nullptr);
}

}  // namespace
