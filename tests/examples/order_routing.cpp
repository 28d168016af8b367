// Order routing: each order goes one way of several, by a tag; what no rule names stays on the main output.
//
// One decision per order, made once, where `filter` in each reader would make it once per reader. Every way has a ring and a policy
// of its own: the risk desk may be slow without holding up a venue, and loses nothing; the display wants the latest prices only, so
// for each symbol a newer order takes the place of the one it has not shown yet.
#include <iostream>
#include <sstream>
#include <utility>

#include "spillway/spillway.hpp"

namespace sw = spillway;

enum class kind { market, limit, stop };

struct order {
  int id;
  sw::fixed_string<7> symbol;
  kind type;
  int quantity;
  int price;

  friend std::ostream& operator<<(std::ostream& out, const order& o) {
    return out << "order " << o.id << " " << o.symbol << " " << o.quantity << " at " << o.price;
  }
};

// region: route
inline constexpr sw::output_tag<"auction", order> auction{};
inline constexpr sw::output_tag<"risk desk", order> risk_desk{};
inline constexpr sw::output_tag<"display", order> display{};

struct route {
  using main = order;  // the default venue
  using emits = sw::emits<auction, risk_desk, display>;

  void on_record(auto& ctx, const order& o) const {
    ctx.output(display, o);  // everything is shown, wherever it goes
    if (o.quantity * o.price > 1'000'000) {
      ctx.output(risk_desk, o);
    } else if (o.type == kind::market) {
      ctx.output(auction, o);
    } else {
      ctx.emit(o);
    }
  }
};
// end region

int main() {
  // One stream for each stage, since stages run on threads of their own.
  std::ostringstream venue, to_auction, to_desk, shown;

  auto orders = sw::stage<"orders">(sw::any_cpu{},
      sw::source(sw::elements<order>{{1, "ACME", kind::limit, 100, 50}, {2, "ACME", kind::market, 200, 50},
          {3, "ZINC", kind::limit, 90'000, 40}, {4, "ZINC", kind::stop, 10, 41},
          {5, "ACME", kind::market, 300, 51}})
          | sw::process(route{}));
  auto default_venue =
      sw::stage<"default venue">(sw::any_cpu{}, sw::from(orders) | sw::print("venue", venue));
  auto auctions = sw::stage<"auctions">(sw::any_cpu{}, sw::from(auction) | sw::print("auction", to_auction));
  auto desk = sw::stage<"desk">(
      sw::any_cpu{}, sw::from(risk_desk, sw::spill.up_to(1 << 20)) | sw::print("desk", to_desk));
  auto screen = sw::stage<"screen">(sw::any_cpu{},
      sw::from(display, sw::conflate(&order::symbol), {.capacity = 64})
          | sw::sink([&](const order& o) { shown << o.id << "\n"; }));

  sw::pipeline p(
      std::move(orders), std::move(default_venue), std::move(auctions), std::move(desk), std::move(screen));
  p.run_inline();  // on this thread, so that what the display was too slow for is the same every time

  std::cout << venue.str() << to_auction.str() << to_desk.str();
  for (const auto& e : p.edges()) {
    if (e.tag == "display")
      std::cout << "display> " << e.counts.consumed << " shown, " << e.counts.conflated << " replaced\n";
  }
}
