#include "spillway/run/run_arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <map>

#include "spillway/text/duration_text.hpp"
#include "spillway/text/number_text.hpp"

namespace spillway::tool {

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = text.find(separator); end != std::string::npos; end = text.find(separator, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::chrono::nanoseconds duration(const std::string& option, const std::string& text) {
  try {
    return parse_duration(text);
  } catch (const std::invalid_argument& e) {
    throw usage_error(fmt::format("{}: {}", option, e.what()));
  }
}

std::chrono::nanoseconds duration_from_zero(const std::string& option, const std::string& text) {
  const auto d = duration(option, text);
  if (d < d.zero()) throw usage_error(fmt::format("{}: '{}' is negative; give 0 or more", option, text));
  return d;
}

template <class T>
T whole_number(const std::string& option, const std::string& text, T least) {
  T n{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{} || end != text.data() + text.size() || n < least) {
    throw usage_error(fmt::format("{}: '{}' is not a whole number of at least {}", option, text, least));
  }
  return n;
}

/// Windows are shifted by less than the distance between their beginnings.
void check_offset(const std::string& text, std::chrono::nanoseconds offset, std::chrono::nanoseconds distance, const char* what) {
  if (distance > distance.zero() && (offset >= distance || offset <= -distance)) {
    throw usage_error(fmt::format("--offset: '{}' is not shorter than the {} of the windows; give less, either way", text, what));
  }
}

window_choice windows(const std::string& text, const std::string& offset_text) {
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  const std::vector<std::string> sizes =
      colon == std::string::npos ? std::vector<std::string>{} : split(text.substr(colon + 1), ',');
  const auto offset = duration("--offset", offset_text);
  const bool has_offset = offset != offset.zero();
  try {
    if (kind == "tumbling" && sizes.size() == 1) {
      const auto size = duration("--window", sizes[0]);
      check_offset(offset_text, offset, size, "size");
      return tumbling(size, {.offset = offset});
    }
    if (kind == "sliding" && sizes.size() == 2) {
      const auto size = duration("--window", sizes[0]);
      const auto slide = duration("--window", sizes[1]);
      check_offset(offset_text, offset, slide, "slide");
      return sliding(size, slide, {.offset = offset});
    }
    if (kind == "session" && sizes.size() == 1) {
      if (has_offset) throw usage_error("--offset: session windows have none; leave it out");
      return session(duration("--window", sizes[0]));
    }
    if (kind == "count" && sizes.size() == 1) {
      if (has_offset) throw usage_error("--offset: count windows have none; leave it out");
      return count_of(whole_number<std::int64_t>("--window", sizes[0], 1));
    }
  } catch (const std::invalid_argument& e) {
    std::string_view why = e.what();
    if (constexpr std::string_view prefix = "spillway: "; why.starts_with(prefix)) why.remove_prefix(prefix.size());
    throw usage_error(fmt::format("--window {}: {}", text, why));
  }
  throw usage_error(fmt::format(
      "--window: '{}' is not a window; write tumbling:SIZE, sliding:SIZE,SLIDE, session:GAP or count:N, as in tumbling:1s",
      text));
}

aggregate_choice one_aggregate(const std::string& name) {
  static const std::map<std::string, aggregate_kind> names = {
      {"count", aggregate_kind::count}, {"sum", aggregate_kind::sum},      {"avg", aggregate_kind::avg},
      {"min", aggregate_kind::min},     {"max", aggregate_kind::max},      {"first", aggregate_kind::first},
      {"last", aggregate_kind::last},   {"open", aggregate_kind::open},    {"close", aggregate_kind::close},
      {"vwap", aggregate_kind::vwap},   {"stddev", aggregate_kind::stddev}};
  if (const auto found = names.find(name); found != names.end()) return {found->second, 0, name};
  double percent = 0;
  if (name.size() > 1 && name.front() == 'p' && is_digit(name[1]) && parse_number(std::string_view(name).substr(1), percent) &&
      percent >= 0 && percent <= 100) {
    return {aggregate_kind::quantile, percent / 100, name};
  }
  throw usage_error(fmt::format(
      "--aggregate: '{}' is none of count, sum, avg, min, max, first, last, open, close, vwap, stddev, and no percentile such as p99",
      name));
}

std::vector<aggregate_choice> aggregates(const std::string& text) {
  std::vector<aggregate_choice> all;
  for (const std::string& name : split(text, ',')) all.push_back(one_aggregate(name));
  return all;
}

void check_fields(const run_options& o) {
  for (const aggregate_choice& a : o.aggregates) {
    if (a.kind != aggregate_kind::count && o.value.empty())
      throw usage_error(fmt::format("--aggregate {} needs --value; name the column to aggregate", a.name));
    if (a.kind == aggregate_kind::vwap && o.weight.empty())
      throw usage_error("--aggregate vwap needs --weight; name the column with the weights");
  }
  if (o.time.empty()) throw usage_error("--time is missing; name the column or JSON pointer with the event time");
}

/// `kind` is "late" or "malformed".
overflow_policy policy(const std::string& kind, const std::string& text, std::uint64_t limit_bytes) {
  if (limit_bytes > 0 && text != "spill")
    throw usage_error(fmt::format("--{}-limit: only spilling has a limit; add --{}-policy spill", kind, kind));
  if (text == "block") return spillway::block.lowered();
  if (text == "spill") return limit_bytes > 0 ? spillway::spill.up_to(limit_bytes).lowered() : spillway::spill.lowered();
  if (text == "drop") return spillway::drop_newest.lowered();
  if (text == "overwrite") return spillway::overwrite_oldest.lowered();
  throw usage_error(fmt::format("--{}-policy: '{}' is no policy; write block, spill, drop or overwrite", kind, text));
}

bool ends_with_any(std::string name, std::initializer_list<std::string_view> ends) {
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return name.ends_with(end); });
}

input_format format_of(const std::string& text, const std::vector<std::string>& inputs) {
  if (text == "csv") return input_format::csv;
  if (text == "ndjson") return input_format::ndjson;
  if (!text.empty()) throw usage_error(fmt::format("--format: '{}' is no format; write csv or ndjson", text));
  const auto json = [](const std::string& name) { return ends_with_any(name, {".ndjson", ".jsonl", ".json"}); };
  if (inputs.empty() || std::none_of(inputs.begin(), inputs.end(), json)) return input_format::csv;
  if (std::all_of(inputs.begin(), inputs.end(), json)) return input_format::ndjson;
  throw usage_error("the inputs are of different formats by their names; give --format, or run them one by one");
}

std::vector<where_condition> conditions(const std::vector<std::string>& texts) {
  std::vector<where_condition> all;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw usage_error(fmt::format("--where: '{}' is no condition; write NAME=VALUE", text));
    all.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  return all;
}

std::vector<int> cpu_list(const std::string& text) {
  std::vector<int> all;
  if (text.empty()) return all;
  for (const std::string& part : split(text, ',')) {
    const std::size_t dash = part.find('-');
    const int first = whole_number<int>("--cpus", part.substr(0, dash), 0);
    const int last = dash == std::string::npos ? first : whole_number<int>("--cpus", part.substr(dash + 1), first);
    for (int cpu = first; cpu <= last && all.size() < 1024; ++cpu) all.push_back(cpu);
  }
  return all;
}

progress_mode progress(const std::string& text) {
  if (text == "auto") return progress_mode::automatic;
  if (text == "always") return progress_mode::always;
  if (text == "never") return progress_mode::never;
  throw usage_error(fmt::format("--progress: '{}' is none of auto, always, never", text));
}

void check_standard_streams(const run_options& o) {
  if (std::count(o.inputs.begin(), o.inputs.end(), "-") > 1)
    throw usage_error("standard input is named twice; it can be read once");
  const std::pair<const char*, const std::string*> outputs[] = {
      {"--output", &o.output}, {"--late", &o.late}, {"--malformed", &o.malformed}};
  const char* printed = nullptr;
  for (const auto& [option, name] : outputs) {
    if (*name != "-") continue;
    if (printed != nullptr)
      throw usage_error(fmt::format("{} and {} both write to '-'; give each a file of its own", printed, option));
    printed = option;
  }
}

}  // namespace

void run_arguments::declare(CLI::App& run) {
  run.add_option("INPUT", inputs_, "CSV or NDJSON files, .gz too; '-' or nothing: standard input");
  run.add_option("--format", format_, "csv or ndjson; default: by file name, else csv")->type_name("FORMAT");
  run.add_option("--key", keys_, "columns, or JSON pointers (/data/s), to group by, separated by commas; none: one group")
      ->type_name("NAMES");
  run.add_option("--time", time_, "column or JSON pointer with the event time")->type_name("NAME");
  run.add_option("--time-unit", unit_,
                 "s, ms, us, ns or iso (2013-12-02 21:15:00, with T, fraction, Z or offset too); default ms")
      ->type_name("UNIT");
  run.add_option("--value", value_, "column or JSON pointer to aggregate: numbers, or strings that hold numbers")
      ->type_name("NAME");
  run.add_option("--weight", weight_, "column or JSON pointer with the weights of vwap")->type_name("NAME");
  run.add_option("--where", where_, "NAME=VALUE, repeatable: records that do not match are filtered and counted")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  run.add_option("--window", window_, "tumbling:SIZE, sliding:SIZE,SLIDE, session:GAP or count:N; sizes as 500ms, 1s, 5m, 1h, 1d")
      ->type_name("WINDOW");
  run.add_option("--offset", offset_, "shifts tumbling and sliding windows; default 0")->type_name("DUR");
  run.add_option("--out-of-orderness", out_of_orderness_, "how far a record may be behind the largest time before it; default 0")
      ->type_name("DUR");
  run.add_option("--allowed-lateness", allowed_lateness_, "how long a window still takes records after it fired; default 0")
      ->type_name("DUR");
  run.add_option(
         "--aggregate", aggregates_,
         "count, sum, avg, min, max, first, last (by arrival), open, close (by event time), vwap, stddev, p50, p99, ...; separated by commas; default count")
      ->type_name("LIST");
  run.add_option("--output", output_, "file for the results; default standard output")->type_name("FILE");
  run.add_option("--late", late_, "file for late records, exactly as they came; without it they are counted")->type_name("FILE");
  run.add_option("--malformed", malformed_, "file for malformed records: file,line,reason,text; without it they are counted")
      ->type_name("FILE");
  run.add_option(
         "--late-policy", late_policy_,
         "when late records come faster than they are written: block, spill to memory, drop new ones or overwrite old ones; default block")
      ->type_name("POLICY");
  run.add_option("--late-limit", late_limit_, "most bytes of late records to spill, as 1000000, 64MiB; default 4MiB")
      ->type_name("BYTES")
      ->transform(CLI::AsSizeValue(false));
  run.add_option("--malformed-policy", malformed_policy_, "the same for malformed records")->type_name("POLICY");
  run.add_option("--malformed-limit", malformed_limit_, "the same for malformed records")
      ->type_name("BYTES")
      ->transform(CLI::AsSizeValue(false));
  run.add_option("--max-line", max_line_, "longest line in bytes; a longer one is malformed, its text cut there; default 1048576")
      ->type_name("BYTES");
  run.add_option("--cpus", cpus_,
                 "CPUs to run on, as 0,1 or 0-3; default: the first two that the process may use; one CPU: one thread")
      ->type_name("LIST");
  run.add_option("--idle", idle_, "busy-spin, spin, yield, backoff or sleep: how threads wait; default backoff")
      ->type_name("STRATEGY");
  run.add_option("--progress", progress_, "auto, always or never: progress on standard error")->type_name("WHEN");
  run.add_option("--stats", stats_,
                 "file for the statistics as JSON; '-': standard error if records go to standard output, else standard output")
      ->type_name("FILE");
  run.add_flag("--demo", demo_, "built-in telemetry with disorder, late and malformed records; other options refine the job");
}

run_options run_arguments::checked() const {
  run_options o;
  o.demo = demo_;
  if (demo_ && !inputs_.empty()) throw usage_error("--demo brings its own records; leave out the inputs");
  o.inputs = demo_ ? std::vector<std::string>{"demo"} : inputs_;
  if (o.inputs.empty()) o.inputs.push_back("-");
  o.format = format_of(demo_ ? "csv" : format_, inputs_);
  const auto or_demo = [&](const std::string& given, const char* demo) {
    return given.empty() && demo_ ? std::string(demo) : given;
  };
  if (const std::string keys = or_demo(keys_, "sensor"); !keys.empty()) o.keys = split(keys, ',');
  o.time = or_demo(time_, "at_ms");
  o.value = or_demo(value_, "celsius");
  o.weight = weight_;
  const auto unit = parse_time_unit(unit_.empty() ? "ms" : unit_);
  if (!unit) throw usage_error(fmt::format("--time-unit: '{}' is none of s, ms, us, ns, iso", unit_));
  o.unit = *unit;
  o.where = conditions(where_);
  const std::string window = or_demo(window_, "tumbling:1s");
  if (window.empty())
    throw usage_error("--window is missing; write tumbling:SIZE, sliding:SIZE,SLIDE, session:GAP or count:N, as in tumbling:1s");
  o.window = windows(window, offset_);
  const std::string disorder = or_demo(out_of_orderness_, "50ms");
  o.out_of_orderness = duration_from_zero("--out-of-orderness", disorder.empty() ? "0" : disorder);
  o.allowed_lateness = duration_from_zero("--allowed-lateness", allowed_lateness_);
  const std::string chosen = or_demo(aggregates_, "count,avg,min,max");
  o.aggregates = aggregates(chosen.empty() ? "count" : chosen);
  o.output = output_;
  o.late = late_;
  o.malformed = malformed_;
  o.late_policy = policy("late", late_policy_, late_limit_);
  o.malformed_policy = policy("malformed", malformed_policy_, malformed_limit_);
  o.max_line = whole_number<std::size_t>("--max-line", max_line_, 1);
  if (o.max_line > (std::size_t{1} << 30))
    throw usage_error("--max-line: more than 1 GiB cannot be held in one piece; give less");
  o.cpus = cpu_list(cpus_);
  const auto idle = idle_strategy_named(idle_);
  if (!idle) throw usage_error(fmt::format("--idle: '{}' is none of busy-spin, spin, yield, backoff, sleep", idle_));
  o.idle = *idle;
  o.progress = progress(progress_);
  o.stats = stats_;
  check_fields(o);
  check_standard_streams(o);
  return o;
}

}  // namespace spillway::tool
