// One ring between two threads, spillway's beside the peers that were found when this was built, in one interleaved run.
//
//     bench_peers_ring [--quick] [--rounds N] [--only TEXT] [--json FILE]
//
// --quick runs everything once on few records, for the answers alone. --only keeps the pieces of work whose name has TEXT in it. Exit
// status 1 when an answer is wrong.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <tuple>

#include "bench/peers/ring_race.hpp"
#include "bench/support/report.hpp"

namespace {

using namespace bench;

struct options {
  bool quick = false;
  std::size_t rounds = 7;
  std::string only{};
  std::string json{};
};

options parse(int argc, char** argv) {
  options o;
  for (int i = 1; i < argc; ++i) {
    const bool more = i + 1 < argc;
    if (std::strcmp(argv[i], "--quick") == 0) {
      o.quick = true;
      o.rounds = 1;
    } else if (more && std::strcmp(argv[i], "--rounds") == 0) {
      o.rounds = std::stoul(argv[++i]);
    } else if (more && std::strcmp(argv[i], "--only") == 0) {
      o.only = argv[++i];
    } else if (more && std::strcmp(argv[i], "--json") == 0) {
      o.json = argv[++i];
    } else {
      std::cerr << "usage: bench_peers_ring [--quick] [--rounds N] [--only TEXT] [--json FILE]\n";
      std::exit(2);
    }
  }
  return o;
}

/// Records of a sample: some milliseconds' worth, and enough laps of the ring.
std::uint64_t records_for(const entrant& e, std::size_t capacity, bool quick) {
  const std::uint64_t all = (capacity > 1024 ? 2'000'000U : 800'000U) / e.divisor;
  return quick ? all / 16 : std::max<std::uint64_t>(all, 4 * capacity);
}

cell make_cell(std::size_t bytes, std::size_t capacity, std::size_t batch, bool quick) {
  cell c{std::to_string(bytes) + " B, capacity " + std::to_string(capacity) + ", " +
             (batch == 1 ? "singly" : "batch " + std::to_string(batch)),
         {}};
  for (const entrant& e : entrants()) {
    if (e.bytes != bytes || (quick && e.way != "1 pause" && e.way != "own waiting")) continue;
    const std::uint64_t records = records_for(e, capacity, quick);
    c.all.push_back({e.name, e.way, e.name == "spillway", static_cast<double>(records),
                     [run = e.run, capacity, batch, records] { return run(capacity, batch, records); }});
  }
  return c;
}

std::vector<cell> make_cells(const options& o) {
  std::vector<cell> cells;
  for (const std::size_t capacity : {1024, 65'536}) {
    for (const std::size_t bytes : {8, 32, 64}) {
      for (const std::size_t batch : {1, 8, 64, 256}) {
        cell c = make_cell(bytes, capacity, batch, o.quick);
        if (c.work.find(o.only) != std::string::npos) cells.push_back(std::move(c));
      }
    }
  }
  return cells;
}

}  // namespace

int main(int argc, char** argv) {
  const options o = parse(argc, argv);
  const host h = this_host();
  std::sort(entrants().begin(), entrants().end(), [](const entrant& a, const entrant& b) {
    return std::make_tuple(a.name != "spillway", a.name, a.way, a.bytes) <
           std::make_tuple(b.name != "spillway", b.name, b.way, b.bytes);
  });
  // The list is sorted: the same queue entered twice would have twice the chances, and stands side by side.
  const auto twice = std::adjacent_find(entrants().begin(), entrants().end(), [](const entrant& a, const entrant& b) {
    return a.name == b.name && a.way == b.way && a.bytes == b.bytes;
  });
  if (twice != entrants().end()) {
    std::cerr << twice->name << " entered twice: classes of queues need different names\n";
    return 1;
  }
  std::vector<cell> cells = make_cells(o);
  try {
    for (std::size_t round = 0; round < o.rounds; ++round) {
      for (cell& c : cells) interleave(c.all, round);
    }
  } catch (const wrong_answer& e) {
    std::cerr << e.what() << '\n';
    return 1;
  }
  std::cout << h.model << ", " << h.cpus << " CPUs, load " << h.load;
  for (const std::string& reason : h.unfit) std::cout << "; unfit: " << reason;
  std::cout << "\n\n";
  write_markdown(std::cout, cells);
  if (o.json.empty()) return 0;
  std::ofstream file(o.json);
  write_json(file, h, cells);
  if (file.flush()) return 0;
  std::cerr << "cannot write " << o.json << '\n';
  return 1;
}
