#include "spillway/run/statistics.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

namespace spillway::tool {

namespace {

using text = fmt::memory_buffer;

template <class... Args>
void add(text& to, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(to), format, std::forward<Args>(args)...);
}

std::string quoted(std::string_view s) {
  std::string out = "\"";
  for (const char c : s) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

void add_distribution(text& to, std::string_view name, const histogram& h, std::string_view count_name) {
  add(to, "  \"{}\": {{\"{}\": {}, \"p50\": {}, \"p90\": {}, \"p99\": {}, \"p99.9\": {}, \"max\": {}}},\n", name, count_name,
      h.count(), h.quantile(0.5), h.quantile(0.9), h.quantile(0.99), h.quantile(0.999), h.max());
}

/// As the options of `run` call it.
std::string_view option_name_of(overflow policy) {
  if (policy == overflow::drop_newest) return "drop";
  if (policy == overflow::overwrite_oldest) return "overwrite";
  return name_of(policy);
}

void add_edges(text& to, const std::vector<edge_report>& edges) {
  add(to, "  \"edges\": [\n");
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const edge_report& e = edges[i];
    add(to,
        "    {{\"from\": {}, \"tag\": {}, \"to\": {}, \"policy\": \"{}\", \"capacity\": {}, \"pushed\": {}, \"consumed\": {}, \"dropped\": {}, "
        "\"dropped_full\": {}, \"dropped_limit\": {}, \"dropped_oversize\": {}, \"overwritten\": {}, \"spilled\": {}, \"left\": {}, \"blocked_ns\": {}}}{}\n",
        quoted(e.from), quoted(e.tag.empty() ? "main" : e.tag), quoted(e.to), option_name_of(e.policy), e.capacity,
        e.counts.pushed, e.counts.consumed, e.counts.dropped(), e.counts.dropped_full, e.counts.dropped_limit,
        e.counts.dropped_oversize, e.counts.overwritten, e.counts.spilled, e.counts.left, e.counts.blocked_ns,
        i + 1 < edges.size() ? "," : "");
  }
  add(to, "  ],\n");
}

void add_stages(text& to, const std::vector<stage_report>& stages) {
  add(to, "  \"stages\": [\n");
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const stage_report& s = stages[i];
    add(to, "    {{\"name\": {}, \"records_in\": {}, \"duty_cycles\": {}, \"idle_cycles\": {}, \"growth_events\": {}}}{}\n",
        quoted(s.name), s.counts.records_in, s.counts.duty_cycles, s.counts.idle_cycles, s.counts.growth_events,
        i + 1 < stages.size() ? "," : "");
  }
  add(to, "  ],\n");
}

}  // namespace

std::string statistics_json(const run_statistics& s) {
  text out;
  add(out, "{{\n");
  add(out,
      "  \"lines\": {},\n  \"windowed\": {},\n  \"late\": {},\n  \"malformed\": {},\n  \"filtered\": {},\n  \"no_window\": {},\n",
      s.lines, s.windowed, s.late, s.malformed, s.filtered, s.no_window);
  add(out, "  \"balanced\": {},\n  \"rows\": {},\n  \"in_unfinished_windows\": {},\n", s.balanced(), s.rows,
      s.in_unfinished_windows);
  add(out, "  \"malformed_reasons\": {{");
  bool first = true;
  for (const named_count& reason : s.reasons) {
    if (reason.value == 0) continue;
    add(out, "{}{}: {}", first ? "" : ", ", quoted(reason.name), reason.value);
    first = false;
  }
  add(out, "}},\n");
  add_distribution(out, "late_by_ns", s.late_by_ns, "records");
  add_distribution(out, "latency_ns", s.latency_ns, "timed_records");
  add_edges(out, s.edges);
  add_stages(out, s.stages);
  add(out, "  \"interrupted\": {},\n  \"seconds\": {:.6f},\n  \"records_per_second\": {:.0f}\n}}\n", s.interrupted, s.seconds,
      s.seconds > 0 ? static_cast<double>(s.lines) / s.seconds : 0.0);
  return fmt::to_string(out);
}

}  // namespace spillway::tool
