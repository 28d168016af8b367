// Where a stage runs.
//
// Values, free of threads.
// 1. By default each stage has a thread of its own. Stages that name one `shared_thread` number run on one thread, in the order of the pipeline.
// 2. A CPU outside the process's allowed set is an error before any thread starts.
//
//     spillway::stage<"ingest">(spillway::nth_allowed_cpu{0}, ...)
#pragma once

namespace spillway {

struct placement {
  enum class kind { any, cpu, nth_allowed };
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
/// One thread for all stages that name the same number; the first of them says where it runs.
struct shared_thread {
  int number;
  placement where = {};
  constexpr operator placement() const noexcept { return {where.where, where.number, number}; }
};

}  // namespace spillway
