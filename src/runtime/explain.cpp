#include "spillway/runtime/explain.hpp"

#include <algorithm>
#include <cstdio>

namespace spillway {

namespace {

std::string name_of_edge(const edge_base& e) {
  return e.from() + (e.tag().empty() ? std::string() : "." + e.tag()) + " -> " + e.to();
}

std::string in_bytes(std::size_t bytes) {
  static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB"};
  double amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (amount >= 1024 && unit < 3) {
    amount /= 1024;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof(text), unit == 0 ? "%.0f %s" : "%.1f %s", amount, units[unit]);
  return text;
}

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& w : words) all += (all.empty() ? "" : ", ") + w;
  return all;
}

/// Lines whose columns stand below each other.
class columns {
 public:
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string text() const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_) {
      widths.resize(std::max(widths.size(), row.size()));
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string out;
    for (const auto& row : rows_) {
      out += ' ';
      for (std::size_t i = 0; i < row.size(); ++i) {
        out += ' ' + row[i];
        if (i + 1 < row.size()) out.append(widths[i] - row[i].size() + 1, ' ');
      }
      out += '\n';
    }
    return out;
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

std::string policy_text(const edge_base& e) {
  const overflow_policy p = e.policy();
  std::string text(name_of(p.kind));
  if (p.kind == overflow::spill) text += " up to " + in_bytes(p.limit_bytes);
  return text;
}

std::string loss_text(const edge_counts& c) {
  std::vector<std::string> parts;
  const auto add = [&](std::uint64_t n, const char* what) {
    if (n > 0) parts.push_back(std::to_string(n) + " " + what);
  };
  add(c.dropped_full, "dropped, ring full");
  add(c.dropped_limit, "dropped, limit reached");
  add(c.dropped_oversize, "dropped, too large");
  add(c.overwritten, "overwritten");
  return joined(parts);
}

/// The input edge of `stage` that has come least far in time, or null.
const edge_base* slowest_input(const plan& p, const std::string& stage) {
  const edge_base* slowest = nullptr;
  for (const auto& e : p.edges()) {
    if (e->to() == stage && (slowest == nullptr || e->read_watermark() < slowest->read_watermark())) slowest = e.get();
  }
  return slowest;
}

bool has_output(const plan& p, const std::string& stage) {
  return std::any_of(p.edges().begin(), p.edges().end(), [&](const auto& e) { return e->from() == stage; });
}

void find_watermark_holder(const plan& p, standing& found) {
  bool any_time = false;
  for (const auto& e : p.edges()) any_time = any_time || e->read_watermark() != timestamp::minimum();
  if (!any_time) return;
  const edge_base* least = nullptr;
  for (const auto& a : p.agents()) {
    if (has_output(p, std::string(a->name()))) continue;
    const edge_base* input = slowest_input(p, std::string(a->name()));
    if (input != nullptr && (least == nullptr || input->read_watermark() < least->read_watermark())) least = input;
  }
  if (least == nullptr || least->read_watermark() == timestamp::maximum()) return;
  found.watermark = least->read_watermark();
  for (const edge_base* e = least; e != nullptr;) {
    found.watermark_holder = e->from();
    const edge_base* above = slowest_input(p, e->from());
    e = above != nullptr && above->read_watermark() <= e->read_watermark() ? above : nullptr;
  }
}

void find_backpressure(const plan& p, standing& found) {
  for (const auto& a : p.agents()) {
    bool input_full = false;
    bool output_full = false;
    for (const auto& e : p.edges()) {
      const bool holds = e->policy().kind == overflow::block && e->full();
      input_full = input_full || (holds && e->to() == a->name());
      output_full = output_full || (holds && e->from() == a->name());
    }
    if (input_full && !output_full) found.backpressure_from.emplace_back(a->name());
  }
}

std::string standing_text(const plan& p) {
  const standing s = standing_of(p);
  std::string out;
  if (!s.watermark_holder.empty()) {
    const bool none = s.watermark == timestamp::minimum();
    out += "  watermark " + (none ? std::string("not begun") : std::to_string(s.watermark.ns) + " ns") + ", held by '" +
           s.watermark_holder + "'\n";
  }
  if (!s.backpressure_from.empty()) out += "  backpressure begins at " + joined(s.backpressure_from) + "\n";
  for (const std::size_t i : s.losing_edges) {
    const edge_counts c = p.edges()[i]->counts();
    out += "  " + name_of_edge(*p.edges()[i]) + " lost " + std::to_string(c.dropped()) + " of " + std::to_string(c.pushed) +
           ": " + loss_text(c) + "\n";
  }
  return out.empty() ? "  nothing is held up, nothing was lost\n" : out;
}

bool has_begun(const plan& p) {
  return std::any_of(p.agents().begin(), p.agents().end(), [](const auto& a) { return a->counts().duty_cycles > 0; });
}

}  // namespace

standing standing_of(const plan& p) {
  standing found;
  find_watermark_holder(p, found);
  find_backpressure(p, found);
  for (std::size_t i = 0; i < p.edges().size(); ++i) {
    if (p.edges()[i]->counts().dropped() > 0) found.losing_edges.push_back(i);
  }
  return found;
}

std::string explain(const plan& p, const std::vector<thread_line>& threads) {
  std::string out = "threads\n";
  columns thread_rows;
  for (const thread_line& t : threads) thread_rows.add({t.name, t.where, joined(t.stages)});
  out += thread_rows.text() + "edges\n";
  columns edge_rows;
  std::size_t bytes = 0;
  for (const auto& e : p.edges()) {
    bytes += e->memory_bytes();
    edge_rows.add({name_of_edge(*e), policy_text(*e), "capacity " + std::to_string(e->capacity()), in_bytes(e->memory_bytes())});
  }
  out += edge_rows.text() + "rings take " + in_bytes(bytes) + "\n";
  if (has_begun(p)) out += "now\n" + standing_text(p);
  return out;
}

}  // namespace spillway
