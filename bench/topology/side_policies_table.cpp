// The price of a side output for the main path, in one interleaved run: throughput with one record in a hundred or ten emitted, against none, for each
// policy and a consumer that is live, slow or stopped for good.
//
//     bench_topology_side_policies [--quick | --once N]
//
// --once runs the N-th cell alone, from 0, for callgrind: instructions of the run / records are those of the loop.
// Every round runs all cells once, in turned order; a sample counts when the two CPUs were as far apart after it as before. Medians are of the
// class with the most samples. Exit status 1 when an answer is wrong; a bar that is missed is marked, not an error.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bench/support/ping_pong.hpp"
#include "bench/support/side_job.hpp"

namespace {

using namespace bench;

constexpr std::uint64_t never = std::uint64_t{1} << 40;

struct cell {
  std::string name;
  double bar;  // least throughput as a part of that without emission; 0: none
  std::function<double(std::uint64_t& sum, bool& account)> run;
  std::map<char, std::vector<double>> samples{};
};

template <class Policy>
cell make_cell(const char* policy_name, Policy policy, std::uint64_t every, consumer kind, double bar) {
  static constexpr const char* kinds[] = {"live", "slow", "stopped"};
  const std::string name = std::string(policy_name) + (every == 100 ? ",  1 %, " : ", 10 %, ") + kinds[static_cast<int>(kind)];
  return {name, bar, [=](std::uint64_t& sum, bool& account) { return seconds_of_main(policy, every, kind, sum, account); }};
}

std::vector<cell> make_cells() {
  std::vector<cell> cells;
  cells.push_back({"no emission", 0, [](std::uint64_t& sum, bool& account) {
                     return seconds_of_main(sw::drop_newest, never, consumer::live, sum, account);
                   }});
  const auto spill = sw::spill.up_to(std::size_t{1} << 30).set_aside(std::size_t{64} << 20);
  for (const consumer kind : {consumer::slow, consumer::stopped}) {
    cells.push_back(make_cell("drop_newest", sw::drop_newest, 100, kind, 0.97));
    cells.push_back(make_cell("spill", spill, 100, kind, 0.97));
    cells.push_back(make_cell("overwrite_oldest", sw::overwrite_oldest, 100, kind, 0.95));
    cells.push_back(make_cell("drop_newest", sw::drop_newest, 10, kind, 0.87));
    cells.push_back(make_cell("spill", spill, 10, kind, 0.87));
    cells.push_back(make_cell("overwrite_oldest", sw::overwrite_oldest, 10, kind, 0));
  }
  cells.push_back(make_cell("drop_newest", sw::drop_newest, 10, consumer::live, 0));
  cells.push_back(make_cell("spill", spill, 10, consumer::live, 0));
  cells.push_back(make_cell("overwrite_oldest", sw::overwrite_oldest, 10, consumer::live, 0.5));
  cells.push_back(make_cell("conflate by id", sw::conflate([](const wide& w) { return w.id % 64; }), 10, consumer::live, 0));
  return cells;
}

/// False when an answer is wrong.
bool sample(cell& c, std::uint64_t expected) {
  std::uint64_t sum = 0;
  bool account = false;
  const char before = core_class(round_trip_ns());
  const double seconds = c.run(sum, account);
  const char after = core_class(round_trip_ns());
  if (sum != expected || !account) {
    std::printf("%s: %s\n", c.name.c_str(),
                sum != expected ? "the main path lost or doubled records" : "the side edge's account does not balance");
    return false;
  }
  if (before == after) c.samples[after].push_back(seconds);
  return true;
}

double median(std::vector<double> v) {
  if (v.empty()) return 0;
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

void print(std::vector<cell>& cells) {
  char best = 'C';
  for (const auto& [name, found] : cells[0].samples) {
    if (found.size() > cells[0].samples[best].size()) best = name;
  }
  if (!cells[0].samples['C'].empty()) best = 'C';
  const double base = median(cells[0].samples[best]);
  std::printf("| side output | samples | main path, M records/s | of no emission | bar |\n|---|---|---|---|---|\n");
  for (cell& c : cells) {
    const double m = median(c.samples[best]);
    if (m == 0) {
      std::printf("| %s | 0 | - | - | - |\n", c.name.c_str());
      continue;
    }
    const double ratio = base / m;
    std::printf("| %s | %zu | %.0f | %.3f | ", c.name.c_str(), c.samples[best].size(), static_cast<double>(records) / m / 1e6,
                ratio);
    c.bar == 0 ? std::printf("- |\n") : std::printf("%.2f %s |\n", c.bar, ratio >= c.bar ? "met" : "missed");
  }
  std::printf("class %c; 64-byte records; filter, map and sum fused on one thread, consumer on another CPU\n", best);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2 && std::strcmp(argv[1], "--once") == 0) {
    std::uint64_t sum = 0;
    bool account = false;
    make_cells().at(std::stoul(argv[2])).run(sum, account);
    return sum == sum_by_hand() && account ? 0 : 1;
  }
  warn_if_unfit();
  const int rounds = argc > 1 && std::strcmp(argv[1], "--quick") == 0 ? 1 : 25;
  const std::uint64_t expected = sum_by_hand();
  std::vector<cell> cells = make_cells();
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!sample(cells[(i + static_cast<std::size_t>(round)) % cells.size()], expected)) return 1;
    }
  }
  print(cells);
}
