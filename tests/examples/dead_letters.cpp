// A dead-letter file: what the broker refuses goes to a file, with the reason, and the job goes on.
//
// Both ends are sinks of one protocol, which a connector to a broker uses as well: `open`, `write(record)`, `flush` when nothing is to do,
// `close`; a failure is an exception. The broker here takes no order above its limit and is busy now and then. Its `write` is tried three more
// times; what still fails is a dead letter.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>

#include <unistd.h>

#include "spillway/spillway.hpp"

namespace sw = spillway;

struct order {
  int id;
  int quantity;
};

/// Stands for a connection.
class broker {
 public:
  explicit broker(std::string& log) : log_(&log) {}
  void open() { *log_ += "connected\n"; }
  void write(const order& o) {
    if (o.quantity > 1000)
      throw std::runtime_error("order " + std::to_string(o.id) + " is above the limit of 1000");
    if (o.id % 4 == 0 && ++attempts_ % 3 != 0) throw std::runtime_error("busy");
    *log_ += "sent order " + std::to_string(o.id) + "\n";
  }
  void close() { *log_ += "disconnected\n"; }

 private:
  std::string* log_;
  int attempts_ = 0;
};

// region: dead letters
inline constexpr sw::output_tag<"dead letters", sw::failed_record<order>> dead_letters{};

class dead_letter_file {
 public:
  explicit dead_letter_file(std::string path) : path_(std::move(path)) {}
  void open() { out_.open(path_); }
  void write(const sw::failed_record<order>& f) {
    out_ << f.record.id << ',' << f.record.quantity << ',' << f.reason << '\n';
  }
  void flush() { out_.flush(); }
  void close() {
    out_.close();
    if (!out_) throw std::runtime_error("cannot write " + path_ + ": is the disk full?");
  }

 private:
  std::string path_;
  std::ofstream out_;
};
// end region

int main() {
  const std::string path = "/tmp/spillway_dead_letters_" + std::to_string(getpid()) + ".csv";
  std::string log;

  auto send = sw::stage<"send">(sw::any_cpu{},
      sw::source(sw::elements<order>{{1, 10}, {2, 5000}, {3, 30}, {4, 40}, {5, 1001}})
          | sw::sink(broker(log))
          | sw::retry(3)
          | sw::on_error(dead_letters));
  auto keep =
      sw::stage<"keep">(sw::any_cpu{}, sw::from(dead_letters, sw::block) | sw::sink(dead_letter_file(path)));
  sw::pipeline p(std::move(send), std::move(keep));
  p.run();

  std::cout << log << "dead letters:\n" << std::ifstream(path).rdbuf();
  const sw::stage_report sent = p.stages().front();
  for (const sw::named_count& c : sent.added) std::cout << c.value << " " << c.name << "\n";
  std::remove(path.c_str());
}
