#include "spillway/run/run_job.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "spillway/operators/count_by.hpp"
#include "spillway/operators/filter.hpp"
#include "spillway/operators/key_by.hpp"
#include "spillway/operators/sink.hpp"
#include "spillway/operators/try_map.hpp"
#include "spillway/operators/watermarks.hpp"
#include "spillway/run/arrivals.hpp"
#include "spillway/run/csv_rows.hpp"
#include "spillway/run/inputs.hpp"
#include "spillway/run/interrupt.hpp"
#include "spillway/run/ndjson_rows.hpp"
#include "spillway/run/preflight.hpp"
#include "spillway/run/progress.hpp"
#include "spillway/run/reject_writers.hpp"
#include "spillway/run/result_writer.hpp"
#include "spillway/run/row_source.hpp"
#include "spillway/run/statistics.hpp"
#include "spillway/run/summary.hpp"
#include "spillway/runtime/affinity.hpp"
#include "spillway/runtime/pipeline.hpp"
#include "spillway/time/bounded_out_of_orderness.hpp"
#include "spillway/windows/window.hpp"

namespace spillway::tool {

namespace {

using clock = std::chrono::steady_clock;

/// Which stage runs where: two pinned threads and one for the files of rejects, or all on one.
struct layout {
  placement read;
  placement window;
  placement rejects;
};

layout lay_out(const run_options& options) {
  std::vector<int> cpus = options.cpus;
  if (cpus.empty()) {
    cpus = allowed_cpus();
    if (cpus.size() > 2) cpus.resize(2);
  }
  const bool spins = options.idle == idle_strategy::busy_spin || options.idle == idle_strategy::spin;
  layout l;
  if (cpus.size() == 1) {
    const placement all = shared_thread{0, cpu{cpus[0]}};
    return {all, all, all};
  }
  l.read = cpu{cpus[0]};
  // Threads that never give their CPU away need one each, so the rejects then share the window's.
  const bool shared = spins && cpus.size() < 3;
  l.window = shared ? placement(shared_thread{0, cpu{cpus[1]}}) : placement(cpu{cpus[1]});
  l.rejects = shared_thread{0, cpus.size() > 2 ? placement(cpu{cpus[2]}) : placement(any_cpu{})};
  return l;
}

/// Everything of a run that lives outside its pipeline.
template <class Rows>
struct job {
  explicit job(const run_options& o)
      : options(o),
        inputs(o, &interrupt_flag()),
        rows(o, inputs, times),
        results(o, times),
        late(o.late, rows.header()),
        rejects(o.malformed, inputs) {}

  const run_options& options;
  learned_times times{};
  run_inputs inputs;
  Rows rows;
  counter filtered{};
  arrival_measures measured{};
  result_writer results;
  late_writer late;
  malformed_writer rejects;
};

/// A frame takes at most half of its ring.
edge_options reject_edge(const run_options& options) {
  edge_options edge;
  edge.text_bytes = std::max<std::size_t>(std::size_t{1} << 18, 2 * options.max_line + (std::size_t{1} << 16));
  return edge;
}

constexpr edge_options main_edge{.capacity = 4096};

template <class Rows>
auto read_stage(job<Rows>& j, const layout& where) {
  return stage<"read">(where.read, source(row_source<Rows>{&j.rows}) | filter(row_wanted<Rows>{&j.rows, &j.filtered}) |
                                       try_map(row_parse<Rows>{&j.rows}, malformed) | on(malformed, count_by(&bad_line::reason)));
}

template <class Rows, class Read>
auto keyed_ticks(job<Rows>& j, const Read& read) {
  return from(read, main_edge) | watermarks(bounded_out_of_orderness(j.options.out_of_orderness), &tick::at) |
         arrivals_operator{{}, &j.measured} | key_by(&tick::key);
}

template <class Rows>
auto rejects_stage(job<Rows>& j, const layout& where) {
  return stage<"malformed">(
      where.rejects, from(malformed, any_policy{j.options.malformed_policy}, reject_edge(j.options)) | sink(std::ref(j.rejects)));
}

/// Windows of time, which may have late records.
template <class Rows, class Windows>
pipeline make_pipeline(job<Rows>& j, const layout& where, Windows windows) {
  auto read = read_stage(j, where);
  auto window_stage =
      stage<"window">(where.window, keyed_ticks(j, read) |
                                        window(windows, {.allowed_lateness = j.options.allowed_lateness}, spillway::tool::late) |
                                        aggregate(summary(j.options.aggregates)) | sink(std::ref(j.results)));
  auto late_stage =
      stage<"late">(where.rejects, from(spillway::tool::late, any_policy{j.options.late_policy}, reject_edge(j.options)) |
                                       sink(std::ref(j.late)));
  return pipeline(std::move(read), std::move(window_stage), std::move(late_stage), rejects_stage(j, where));
}

template <class Rows>
pipeline make_pipeline(job<Rows>& j, const layout& where, count_windows windows) {
  auto read = read_stage(j, where);
  auto window_stage = stage<"window">(where.window, keyed_ticks(j, read) | window(windows) |
                                                        aggregate(summary(j.options.aggregates)) | sink(std::ref(j.results)));
  return pipeline(std::move(read), std::move(window_stage), rejects_stage(j, where));
}

/// Waits for the end; on the way it passes an interrupt on and shows progress.
template <class Rows>
void see_through(job<Rows>& j, pipeline& p) {
  progress_line progress(j.options.progress);
  while (!p.wait_for(std::chrono::milliseconds(50))) {
    if (interrupt_flag().load()) p.stop();
    progress.show(j.rows.lines().get());
  }
  progress.clear();
  p.join();
}

std::uint64_t count_named(const stage_report& stage, std::string_view name) {
  for (const named_count& c : stage.added) {
    if (c.name == name) return c.value;
  }
  return 0;
}

template <class Rows>
run_statistics collect(const job<Rows>& j, const pipeline& p, clock::time_point began) {
  run_statistics s;
  s.seconds = std::chrono::duration<double>(clock::now() - began).count();
  s.stages = p.stages();
  s.edges = p.edges();
  for (const stage_report& stage : s.stages) {
    if (stage.name == "read") s.reasons = stage.added;
    if (stage.name == "window") {
      s.late = count_named(stage, "late");
      s.no_window = count_named(stage, "no_window");
      s.in_unfinished_windows = count_named(stage, "records_in_unfinished_windows");
    }
  }
  for (const named_count& reason : s.reasons) s.malformed += reason.value;
  s.lines = j.rows.lines().get();
  s.filtered = j.filtered.get();
  s.windowed = j.measured.records.get() - s.late - s.no_window;
  s.rows = j.results.rows();
  s.late_by_ns = j.late.behind_ns();
  s.latency_ns = j.measured.latency_ns;
  s.interrupted = interrupt_flag().load();
  return s;
}

void write_statistics(const run_options& options, const run_statistics& s) {
  if (options.stats.empty()) return;
  const std::string json = statistics_json(s);
  const bool printing = options.output == "-" || options.late == "-" || options.malformed == "-";
  if (options.stats == "-" && printing) {
    const bool written = std::fwrite(json.data(), 1, json.size(), stderr) == json.size() && std::fflush(stderr) == 0;
    if (!written) throw output_error("cannot write the statistics to standard error; name a file for them");
    return;
  }
  file_sink out(options.stats);
  out.write(json);
  out.close();
}

/// What a person at the terminal wants to know when results went well.
void tell(const run_options& options, const run_statistics& s) {
  if (!options.demo) return;
  const std::string line = fmt::format("{} lines: {} windowed, {} late, {} malformed, {} filtered; {} rows in {:.3f} s\n",
                                       s.lines, s.windowed, s.late, s.malformed, s.filtered, s.rows, s.seconds);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

template <class Rows>
void finish(job<Rows>& j) {
  j.results.finish();
  j.late.finish();
  j.rejects.finish();
}

/// After a failure: what was written so far is handed to the system, and its errors are not the news.
template <class Rows>
void flush_quietly(job<Rows>& j) noexcept {
  try {
    j.results.flush();
    j.late.flush();
    j.rejects.flush();
  } catch (const std::exception&) {}
}

template <class Rows>
int run_rows(const run_options& options) {
  const auto began = clock::now();
  job<Rows> j(options);
  const layout where = lay_out(options);
  pipeline p = std::visit([&](const auto& windows) { return make_pipeline(j, where, windows); }, options.window);
  try {
    p.start({.idle = options.idle});
    see_through(j, p);
    finish(j);
  } catch (...) {
    flush_quietly(j);
    throw;
  }
  const run_statistics s = collect(j, p, began);
  write_statistics(options, s);
  tell(options, s);
  return s.interrupted ? 130 : 0;
}

template <class Rows>
int explain_rows(const run_options& options) {
  job<Rows> j(options);
  const layout where = lay_out(options);
  const pipeline p = std::visit([&](const auto& windows) { return make_pipeline(j, where, windows); }, options.window);
  file_sink out("-");
  out.write(p.explain({.idle = options.idle}));
  out.close();
  return 0;
}

}  // namespace

int explain_job(const run_options& options) {
  run_options untouched = options;
  untouched.output = "-";  // no file is made or emptied
  untouched.late.clear();
  untouched.malformed.clear();
  return options.format == input_format::csv ? explain_rows<csv_rows>(untouched) : explain_rows<ndjson_rows>(untouched);
}

int run_job(const run_options& options) {
  preflight(options);
  install_signal_handlers();
  return options.format == input_format::csv ? run_rows<csv_rows>(options) : run_rows<ndjson_rows>(options);
}

}  // namespace spillway::tool
