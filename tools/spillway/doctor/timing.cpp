#include "spillway/doctor/timing.hpp"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>

#include "spillway/core/config.hpp"
#include "spillway/core/cpu_relax.hpp"
#include "spillway/runtime/affinity.hpp"

namespace spillway::tool {

namespace {

using clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr int batch = 100;
constexpr int most_batches = 20;

/// One line that two threads bounce. Both stop when either is out of time.
struct court {
  alignas(128) std::atomic<int> ball{0};
  alignas(128) std::atomic<bool> over{false};
  clock::time_point deadline;

  /// False when time is up.
  bool await(int value) {
    // Acquire pairs with the other player's release store of the ball, so that each turn happens before the next.
    for (unsigned polls = 1; ball.load(std::memory_order_acquire) != value; ++polls) {
      cpu_relax();
      if (polls % 1024 != 0) continue;
      if (over.load(std::memory_order_relaxed) || clock::now() > deadline) {
        over.store(true, std::memory_order_relaxed);
        return false;
      }
      std::this_thread::yield();  // the other player may be waiting for this CPU
    }
    return true;
  }

  void hit(int value) { ball.store(value, std::memory_order_release); }
};

bool pinned(int cpu) {
  try {
    pin_this_thread(cpu);
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

void answer(court& c, int cpu) {
  if (!pinned(cpu)) c.over = true;
  for (int i = 1; i <= batch * most_batches; ++i) {
    if (!c.await(2 * i - 1)) return;
    c.hit(2 * i);
  }
}

/// The least round trip of the batches that were finished; 0 for none. The first only warms up.
double serve(court& c, int cpu) {
  if (!pinned(cpu)) c.over = true;
  double least = 0;
  int turn = 0;
  for (int b = 0; b < most_batches; ++b) {
    const auto began = clock::now();
    for (int i = 0; i < batch; ++i) {
      ++turn;
      c.hit(2 * turn - 1);
      if (!c.await(2 * turn)) return least;
    }
    const double each = std::chrono::duration<double, std::nano>(clock::now() - began).count() / batch;
    if (b > 0 && (least == 0 || each < least)) least = each;
  }
  return least;
}

double round_trip(int a, int b, clock::time_point deadline) {
  court c;
  c.deadline = deadline;
  std::thread other([&] { answer(c, b); });
  double found = 0;
  std::thread one([&] { found = serve(c, a); });
  one.join();
  other.join();
  return found;
}

}  // namespace

sleep_jitter measure_sleep(std::chrono::nanoseconds budget) {
  std::vector<std::chrono::nanoseconds> late;
  const auto deadline = clock::now() + budget;
  while (clock::now() < deadline) {
    const auto due = clock::now() + 200us;
    std::this_thread::sleep_until(due);
    late.push_back(std::max(clock::now() - due, clock::duration(0)));
  }
  sleep_jitter found;
  found.samples = late.size();
  if (late.empty()) return found;
  std::sort(late.begin(), late.end());
  found.median = late[late.size() / 2];
  found.p99 = late[late.size() * 99 / 100];
  found.worst = late.back();
  return found;
}

spin_jitter measure_spin(std::chrono::nanoseconds budget) {
  spin_jitter found;
  const auto began = clock::now();
  std::chrono::nanoseconds lost{0};
  auto last = began;
  while (last - began < budget) {
    const auto now = clock::now();
    const auto gap = now - last;
    if (gap > 5us) {
      ++found.gaps;
      lost += gap;
      found.worst = std::max<std::chrono::nanoseconds>(found.worst, gap);
    }
    last = now;
  }
  const auto all = last - began;
  found.lost_percent = all.count() == 0 ? 0 : 100.0 * static_cast<double>(lost.count()) / static_cast<double>(all.count());
  return found;
}

latency_matrix measure_latency(std::vector<int> cpus, std::chrono::nanoseconds budget) {
  const std::size_t n = cpus.size();
  latency_matrix m{std::move(cpus), std::vector<double>(n * n, 0)};
  const auto deadline = clock::now() + budget;
  std::size_t left = n * (n - 1) / 2;
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t column = row + 1; column < n; ++column, --left) {
      const auto now = clock::now();
      if (now >= deadline) return m;
      // An even share of what is left, but time for a pair whose CPUs are busy: the deadline holds for all together.
      const auto share = std::max<std::chrono::nanoseconds>((deadline - now) / static_cast<std::int64_t>(left), 20ms);
      m.round_trips[row * n + column] = m.round_trips[column * n + row] =
          round_trip(m.cpus[row], m.cpus[column], std::min(now + share, deadline));
    }
  }
  return m;
}

}  // namespace spillway::tool
