// Inside a host application: the program has threads and an event loop of its own, and the library lives in them.
//
// Two feed threads push ticks through an inlet. One thread of the library works out averages. The event loop takes the alerts from an outlet
// between its other work, a few at a time, and ends the pipeline when it has seen enough. The library starts the one thread that it is asked for,
// installs no signal handler, and prints nothing.
#include <chrono>
#include <iostream>
#include <thread>
#include <utility>

#include "spillway/spillway.hpp"

namespace sw = spillway;
using namespace std::chrono_literals;

struct tick {
  int symbol;
  int price;
};
struct alert {
  int symbol;
  int price;
};

inline constexpr sw::output_tag<"alerts", alert> alerts{};

struct watch_prices {
  using main = tick;
  using emits = sw::emits<alerts>;
  int limit;

  void on_record(auto& ctx, const tick& t) const {
    if (t.price > limit) ctx.output(alerts, alert{t.symbol, t.price});
    ctx.emit(t);
  }
};

/// The host's feed handler: its own thread, its own loop.
void feed(sw::inlet_producer<tick> out, int symbol) {
  for (int price = 90; price <= 110; ++price) {
    if (!out.push(tick{symbol, price})) return;  // the pipeline was stopped
  }
}

int main() {
  sw::inlet<tick> ticks({.capacity = 64, .producers = 2});
  sw::outlet<alert> screen;
  long volume = 0;

  auto work = sw::stage<"work">(sw::any_cpu{},
      ticks.source() | sw::process(watch_prices{.limit = 105}) | sw::sink([&](const tick&) { ++volume; }));
  auto show =
      sw::stage<"show">(sw::host_polled{}, sw::from(alerts, sw::block, {.capacity = 16}) | screen.sink());
  sw::pipeline p(std::move(work), std::move(show));
  p.start();

  std::thread first(feed, ticks.producer(), 1);
  std::thread second(feed, ticks.producer(), 2);
  std::thread closer([&] {
    first.join();
    second.join();
    ticks.close();
  });

  int shown[3] = {};
  int highest = 0;
  while (!screen.done()) {  // the host's event loop
    screen.poll(
        [&](const alert& a) {
          ++shown[a.symbol];
          if (a.price > highest) highest = a.price;
        },
        4);
    std::this_thread::sleep_for(100us);  // its other work
  }
  closer.join();
  p.join();

  std::cout
      << volume
      << " ticks, "
      << shown[1]
      << " alerts of symbol 1 and "
      << shown[2]
      << " of symbol 2, up to "
      << highest
      << "\n";
  std::cout << ticks.pushed() << " pushed, " << ticks.left() << " left\n";
}
