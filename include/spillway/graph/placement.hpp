// Where a stage runs.
//
// Values, free of threads.
// 1. By default each stage has a thread of its own. Stages that name one `shared_thread` number run on one thread, in the order of the pipeline.
// 2. A CPU outside the process's allowed set is an error before any thread starts.
// 3. A stage placed `host_polled` gets no thread: the host polls it from one of its own. That is also how records come in on the host's thread
//    (`push_source`) and go out on it (`outlet`), with the policy of an edge in between.
//
//     int sum = 0;
//     auto numbers = sw::stage<"numbers">(sw::nth_allowed_cpu{0}, sw::source(sw::elements{1, 2, 3}));
//     auto total = sw::stage<"total">(sw::host_polled{}, sw::from(numbers) | sw::sink([&](int n) { sum += n; }));
//     sw::pipeline p(std::move(numbers), std::move(total));
//     p.start();
//     sw::idler idle(sw::idle_strategy::backoff);
//     sw::polled_agent& mine = p.polled("total");
//     while (!mine.done()) idle(mine.poll());         // in a thread of the host
//     p.join();
//     assert(sum == 6);
#pragma once

namespace spillway {

struct placement {
  enum class kind { any, cpu, nth_allowed, host };
  kind where = kind::any;
  int number = 0;
  int thread = -1;  // stages with equal numbers from 0 on share a thread
};

/// Any CPU of the allowed set, as the system likes.
struct any_cpu {
  constexpr operator placement() const noexcept { return {}; }
};
/// The CPU of that number.
struct cpu {
  int number;
  constexpr operator placement() const noexcept { return {placement::kind::cpu, number, -1}; }
};
/// The n-th CPU, from 0, of those that the process may use.
struct nth_allowed_cpu {
  int n;
  constexpr operator placement() const noexcept { return {placement::kind::nth_allowed, n, -1}; }
};
/// No thread of the runner: the host calls `pipeline::polled(name).poll()`, or `pipeline::poll()` for all such stages.
struct host_polled {
  constexpr operator placement() const noexcept { return {placement::kind::host, 0, -1}; }
};
/// One thread for all stages that name the same number; the first of them says where it runs.
struct shared_thread {
  int number;
  placement where = {};
  constexpr operator placement() const noexcept { return {where.where, where.number, number}; }
};

}  // namespace spillway
