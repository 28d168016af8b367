// The table of an interleaved comparison, as Markdown and as JSON.
//
// Pure, but for writing to the streams that it is given.
// 1. A row is one piece of work in one class. Each contestant stands there with the best of its ways, by median; ratios are of
//    throughputs, ours to the best peer's.
// 2. The JSON holds every way and class with median, least, most and number of samples.
//
//     write_markdown(std::cout, cells);  write_json(file, host, cells);
#pragma once

#include <algorithm>
#include <iomanip>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "bench/support/host.hpp"
#include "bench/support/interleave.hpp"

namespace bench {

struct cell {
  std::string work;
  std::vector<contestant> all;
};

struct standing {
  std::string name;
  std::string way;
  double nanoseconds = 0;  // 0: none
  std::size_t samples = 0;
  bool ours = false;
};

/// Every contestant's best way in one class, in the order of the contestants.
inline std::vector<standing> standings(const cell& c, char where) {
  std::vector<standing> found;
  for (const contestant& one : c.all) {
    auto at = std::find_if(found.begin(), found.end(), [&](const standing& s) { return s.name == one.name; });
    if (at == found.end()) at = found.insert(found.end(), {one.name, "", 0, 0, one.ours});
    const double ns = median_of(one, where);
    if (ns == 0 || (at->nanoseconds != 0 && ns >= at->nanoseconds)) continue;
    at->way = one.way;
    at->nanoseconds = ns;
    at->samples = one.nanoseconds.at(where).size();
  }
  return found;
}

/// The classes with samples of ours and of a peer.
inline std::string classes_of(const cell& c) {
  std::string classes;
  for (const char where : {'S', 'C', 'X', '1'}) {
    bool ours = false;
    bool peer = false;
    for (const standing& s : standings(c, where)) (s.ours ? ours : peer) |= s.nanoseconds != 0;
    if (ours && peer) classes += where;
  }
  return classes;
}

inline void write_markdown(std::ostream& out, const std::vector<cell>& cells) {
  if (cells.empty()) return;
  out << "| work | class |";
  for (const standing& s : standings(cells[0], 'C')) out << ' ' << s.name << " |";
  out << " best peer | ratio |\n|---|---|";
  for (std::size_t i = 0; i < standings(cells[0], 'C').size(); ++i) out << "---:|";
  out << "---|---:|\n" << std::fixed;
  for (const cell& c : cells) {
    for (const char where : classes_of(c)) {
      out << "| " << c.work << " | " << where << " |";
      standing ours;
      standing best;
      for (const standing& s : standings(c, where)) {
        if (s.nanoseconds == 0) {
          out << " - |";
          continue;
        }
        out << ' ' << std::setprecision(0) << 1e3 / s.nanoseconds << " (" << s.samples << ") |";
        if (s.ours) {
          ours = s;
        } else if (best.nanoseconds == 0 || s.nanoseconds < best.nanoseconds) {
          best = s;
        }
      }
      out << ' ' << best.name << ", " << best.way << " | " << std::setprecision(2) << best.nanoseconds / ours.nanoseconds
          << " |\n";
    }
  }
  out << "million records per second, median of (samples); ratio: ours to the best peer, each with its best way of waiting\n";
}

inline std::string quoted(const std::string& text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') json += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) json += c;
  }
  return json + '"';
}

inline void write_json(std::ostream& out, const host& h, const std::vector<cell>& cells) {
  out << "{\"host\": {\"model\": " << quoted(h.model) << ", \"cpus\": " << h.cpus << ", \"load\": " << h.load << ", \"unfit\": [";
  for (std::size_t i = 0; i < h.unfit.size(); ++i) out << (i == 0 ? "" : ", ") << quoted(h.unfit[i]);
  out << "]},\n \"results\": [";
  const char* separator = "\n  ";
  for (const cell& c : cells) {
    for (const contestant& one : c.all) {
      for (const auto& [where, ns] : one.nanoseconds) {
        const auto [least, most] = std::minmax_element(ns.begin(), ns.end());
        out << separator << "{\"work\": " << quoted(c.work) << ", \"name\": " << quoted(one.name)
            << ", \"way\": " << quoted(one.way) << ", \"class\": \"" << where << "\", \"samples\": " << ns.size()
            << ", \"spoilt\": " << one.spoilt << ", \"median_ns\": " << median(ns) << ", \"min_ns\": " << *least
            << ", \"max_ns\": " << *most << "}";
        separator = ",\n  ";
      }
    }
  }
  out << "\n ]}\n";
}

}  // namespace bench
