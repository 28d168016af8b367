// The side outputs of a stage: for each tag its edges, and what the fused chain sees of them.
//
// Belongs to the stage's thread, the counters aside.
// 1. An emission goes to every edge of its tag, each by its own policy; none of them can disturb another or the main path.
// 2. Each tag follows the gate behind the last operator that emits it: the watermark there goes before the next record, or with the flush.
// 3. Edges of tags are worked on in place, not in registers: a stage may have hundreds.
//
//     detail::stage_environment<tag_list<std::remove_const_t<decltype(odd)>>> stage("numbers");
//     const detail::tag_gate gate;                    // behind the operator that emits `odd`
//     stage.watch<std::remove_const_t<decltype(odd)>>(gate);
//     stage.output(odd, 7, no_timestamp);             // what ctx.output(odd, 7) comes to
//     stage.for_each_port([](const output_port& port) { assert(port.tag() == "odd" && port.unread() == 1); });
#pragma once

#include <tuple>

#include "spillway/graph/from.hpp"
#include "spillway/graph/fuse.hpp"
#include "spillway/operators/stage_context.hpp"
#include "spillway/runtime/output_port.hpp"

namespace spillway::detail {

/// A tag's edges without their type, for the flush.
class side_port_base {
 public:
  virtual void flush() = 0;
  virtual bool delivered() const noexcept = 0;

  const tag_gate* gate = nullptr;
  timestamp flushed = timestamp::minimum();
  bool end_flushed = false;
  bool dirty = false;
  side_port_base* next_dirty = nullptr;

 protected:
  ~side_port_base() = default;
};

template <class Tag>
class side_port final : public port_of<tag_stream<Tag>>, public side_port_base {
  using edge_type = edge_of<tag_stream<Tag>>;

 public:
  side_port() : port_of<tag_stream<Tag>>(Tag::name()) {}

  void open() {
    for (edge_type* e : this->edges_) e->open_writer();
    only_ = this->edges_.size() == 1 ? this->edges_.front() : nullptr;
  }
  void close() {
    for (edge_type* e : this->edges_) e->close_writer();
  }

  /// `value` is what a record is made from. True when an edge was left holding the stage.
  template <class V>
  SPILLWAY_INLINE bool push(V&& value, timestamp t) {
    if (only_ != nullptr) [[likely]]
      return push_one(*only_, std::forward<V>(value), t);
    if (this->edges_.empty()) {
      this->unread_.add();
      return false;
    }
    return push_many(typename Tag::record(std::forward<V>(value)), t);
  }

  void flush() override {
    flushed = gate->watermark;
    end_flushed = gate->ended;
    for (edge_type* e : this->edges_) {
      auto& c = e->writer();
      e->watermark(c, gate->watermark);
      c = e->flush(c);
      if (gate->ended && !e->ended()) e->end(c);
    }
  }

  bool delivered() const noexcept override {
    for (const edge_type* e : this->edges_) {
      if (!e->delivered() || (gate->ended && !e->ended())) return false;
    }
    return true;
  }

 private:
  template <class V>
  SPILLWAY_INLINE bool push_one(edge_type& e, V&& value, timestamp t) {
    return e.push_in_place(std::forward<V>(value), t, gate->watermark);
  }
  SPILLWAY_NOINLINE bool push_many(typename Tag::record&& value, timestamp t) {
    bool held = false;
    for (std::size_t i = 0; i + 1 < this->readers_.size(); ++i) {
      if constexpr (std::is_copy_constructible_v<typename Tag::record>) {
        held |= push_one(this->readers_[i].choose(value), typename Tag::record(std::as_const(value)), t);
      }
    }
    edge_type& last = this->readers_.back().choose(value);
    return push_one(last, std::move(value), t) || held;
  }

  edge_type* only_ = nullptr;  // the one edge, where there is one
};

/// The stage as its fused chain sees it.
template <class Tags>
class stage_environment;

template <class... Tags>
class stage_environment<tag_list<Tags...>> : public stage_context {
 public:
  explicit stage_environment(std::string_view name) : stage_context(name) {}

  template <class Tag, class V>
  SPILLWAY_INLINE void output(const Tag&, V&& value, timestamp t) {
    auto& port = std::get<side_port<Tag>>(ports_);
    if (!port.dirty) [[unlikely]]
      mark_dirty(port);
    if (port.push(std::forward<V>(value), t)) [[unlikely]]
      held_ = true;
  }

  /// A blocking side edge is full.
  SPILLWAY_INLINE bool held() const noexcept {
    if constexpr (sizeof...(Tags) == 0) return false;
    return held_;
  }

  template <class Tag>
  void watch(const tag_gate& gate) noexcept {
    std::get<side_port<Tag>>(ports_).gate = &gate;
  }

  void open_ports() { (std::get<side_port<Tags>>(ports_).open(), ...); }
  void close_ports() { (std::get<side_port<Tags>>(ports_).close(), ...); }

  /// Publishes what was emitted, and the watermarks that passed since the last flush.
  void flush_ports() {
    for (side_port_base* port = first_dirty_; port != nullptr; port = port->next_dirty) {
      port->dirty = false;
      port->flush();
    }
    first_dirty_ = nullptr;
    (flush_if_time_moved(std::get<side_port<Tags>>(ports_)), ...);
    bool held = false;
    (..., (held = held || any_held(std::get<side_port<Tags>>(ports_))));
    held_ = held;
  }

  /// All side edges have their records and, after the end, their end marker.
  bool delivered() const noexcept { return (true && ... && std::get<side_port<Tags>>(ports_).delivered()); }

  std::uint64_t moved() const noexcept { return (std::uint64_t{0} + ... + std::get<side_port<Tags>>(ports_).moved()); }

  template <class F>
  void for_each_port(F&& f) {
    (f(std::get<side_port<Tags>>(ports_)), ...);
  }

 private:
  SPILLWAY_NOINLINE void mark_dirty(side_port_base& port) noexcept {
    port.dirty = true;
    port.next_dirty = first_dirty_;
    first_dirty_ = &port;
  }
  template <class Port>
  void flush_if_time_moved(Port& port) {
    if (port.flushed != port.gate->watermark || port.end_flushed != port.gate->ended || !port.delivered()) port.flush();
  }
  template <class Port>
  static bool any_held(Port& port) {
    for (auto* e : port.edges()) {
      if (e->writer().held) return true;
    }
    return false;
  }

  std::tuple<side_port<Tags>...> ports_;
  side_port_base* first_dirty_ = nullptr;
  bool held_ = false;
};

/// The tags of a list, each once.
template <class List, class Seen = tag_list<>>
struct distinct;
template <class Seen>
struct distinct<tag_list<>, Seen> {
  using type = Seen;
};
template <class First, class... Rest, class... Seen>
struct distinct<tag_list<First, Rest...>, tag_list<Seen...>>
    : distinct<tag_list<Rest...>,
               std::conditional_t<tag_list_contains<First, tag_list<Seen...>>, tag_list<Seen...>, tag_list<Seen..., First>>> {};

}  // namespace spillway::detail
