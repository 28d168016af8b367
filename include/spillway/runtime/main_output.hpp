// The main output of a stage: the end of its fused chain, wired to one or more edges.
//
// Belongs to the stage's thread.
// 1. The cursor of the first edge is a local value of the pass; further readers, and further replicas, are worked on in place.
// 2. Where the reader recomputes watermarks from the records, a copy of the generator says what it knows, and only what it cannot know is sent.
//
//     using records = stream<int>;
//     edge_of<records> edge("numbers", "", "sum", block.lowered(), {}, nullptr);
//     detail::main_port<records> port{untimed()};     // of the stage "numbers"
//     port.attach(edge, {"sum", "sum"}, [] { return nullptr; });      // what from(numbers) comes to
//     assert(port.connected() && port.tag().empty());
#pragma once

#include "spillway/graph/fuse.hpp"
#include "spillway/operators/watermarks.hpp"
#include "spillway/runtime/output_port.hpp"

namespace spillway::detail {

/// What the reader of an edge finds out by itself. Nothing, unless the records carry their time.
template <class Timing>
struct reader_view {
  explicit reader_view(const Timing&) {}
  template <class Record>
  SPILLWAY_INLINE void saw(const Record&, timestamp) noexcept {}
  SPILLWAY_INLINE bool knows(timestamp) const noexcept { return false; }
  void ask(bool) noexcept {}
};

template <class Extract, class Generator>
struct reader_view<timed_by_record<Extract, Generator>> {
  explicit reader_view(const timed_by_record<Extract, Generator>& timing) : generator(timing.generator) {}
  template <class Record>
  SPILLWAY_INLINE void saw(const Record& record, timestamp t) noexcept {
    const timestamp w = generator.on_record(record, t);
    if (w > known) known = w;
  }
  SPILLWAY_INLINE bool knows(timestamp w) const noexcept { return recomputes && w <= known; }
  void ask(bool reader_recomputes) noexcept { recomputes = reader_recomputes; }

  Generator generator;
  timestamp known = timestamp::minimum();
  bool recomputes = false;
};

template <class Stream>
class main_port final : public port_of<Stream> {
 public:
  using record = typename Stream::record;
  using edge_type = edge_of<Stream>;
  using view = reader_view<typename Stream::timing>;

  explicit main_port(const typename Stream::timing& timing) : port_of<Stream>(std::string_view{}), view_(timing) {}

  void open() {
    for (edge_type* e : this->edges_) e->open_writer();
    several_ = this->edges_.size() > 1;
    view_.ask(this->edges_.front()->reader_recomputes);
  }
  void close() {
    for (edge_type* e : this->edges_) e->close_writer();
  }

  bool delivered() const noexcept {
    for (const edge_type* e : this->edges_) {
      if (!e->delivered()) return false;
    }
    return true;
  }
  bool ended() const noexcept {
    for (const edge_type* e : this->edges_) {
      if (!e->ended()) return false;
    }
    return true;
  }

  template <class Env>
  struct link {
    main_port* self;
    Env* env;
    edge_type* first;
    typename edge_type::cursor cursor;
    view seen;

    SPILLWAY_INLINE void emit(record&& r, timestamp t) {
      if (self->several_ && self->give_to_others(r, t)) [[unlikely]]
        return;
      seen.saw(std::as_const(r), t);
      first->push(cursor, make_slot<Stream>(std::move(r), t));
    }
    template <class Key>
    SPILLWAY_INLINE void emit(record&& r, timestamp t, const Key&) {
      emit(std::move(r), t);
    }
    SPILLWAY_INLINE void watermark(timestamp w) {
      if (self->several_) [[unlikely]]
        self->tell_others(w);
      if (seen.knows(w)) return;
      first->watermark(cursor, w);
    }
    void end() {
      first->end(cursor);
      self->end_others();
    }
    SPILLWAY_INLINE bool resume() { return true; }
    template <class Tag, class V>
    SPILLWAY_INLINE void output(const Tag& tag, V&& value, timestamp t) {
      env->output(tag, std::forward<V>(value), t);
    }
    SPILLWAY_INLINE bool held() const { return cursor.held || self->others_held_ || env->held(); }
    SPILLWAY_INLINE Env& environment() { return *env; }
    SPILLWAY_INLINE void settle() {
      first->writer() = cursor;
      self->view_ = seen;
    }
    void idle() {}
    void flush() {
      cursor = first->flush(cursor);
      if (self->several_) self->flush_others();
    }
  };

  template <class Env>
  SPILLWAY_INLINE link<Env> pass(Env& env) {
    edge_type* first = this->edges_.front();
    return {this, &env, first, first->writer(), view_};
  }

 private:
  /// Gives the record to the readers behind the first; true when the first reader's replica, another than the one the pass holds, took it too.
  SPILLWAY_NOINLINE bool give_to_others(record& r, timestamp t) {
    if constexpr (std::is_copy_constructible_v<record>) {
      for (std::size_t i = 1; i < this->readers_.size(); ++i) {
        edge_type& e = this->readers_[i].choose(r);
        others_held_ |= e.push_in_place(record(std::as_const(r)), t, e.writer().offered);
      }
    }
    edge_type& chosen = this->readers_.front().choose(r);
    if (&chosen == this->edges_.front()) return false;
    others_held_ |= chosen.push_in_place(std::move(r), t, chosen.writer().offered);
    return true;
  }
  SPILLWAY_NOINLINE void tell_others(timestamp w) {
    for (std::size_t i = 1; i < this->edges_.size(); ++i) this->edges_[i]->watermark(this->edges_[i]->writer(), w);
  }
  void end_others() {
    for (std::size_t i = 1; i < this->edges_.size(); ++i) this->edges_[i]->end(this->edges_[i]->writer());
  }
  void flush_others() {
    others_held_ = false;
    for (std::size_t i = 1; i < this->edges_.size(); ++i) {
      auto& c = this->edges_[i]->writer();
      c = this->edges_[i]->flush(c);
      others_held_ |= c.held;
    }
  }

  view view_;
  bool several_ = false;
  bool others_held_ = false;
};

/// The end of a fused chain that has a main output.
template <class Stream>
struct main_end {
  main_port<Stream>* port;

  template <class Env>
  void open(Env&) {}
  template <class Env>
  void close(Env&, first_exception&) noexcept {}
  template <class Env>
  SPILLWAY_INLINE auto pass(Env& env) {
    return port->pass(env);
  }
};

}  // namespace spillway::detail
