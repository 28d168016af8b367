// Runs two sides of a concurrent structure through every order of their atomic accesses.
//
// The structure is compiled with `model_atomic`, whose accesses stop the running side and let the explorer choose who goes on. Each side is a fiber
// in one thread; an execution is replayed from the start with another choice until none is left.
// 1. Two schedules that give each side the same history (which stores its loads read, in order) lead to the same state, since a side is deterministic and
//    an atomic has one writing side, or is exchanged only. A state met before is not explored again; nothing else is left out.
// 2. `memory::sequential`: a load reads the latest store. `memory::weak`: a load may read any store that is not older than what this side has seen of
//    that atomic, nor than a store that happened before the load by 3: so a store may arrive late, unless something that was read orders it.
// 3. In both, a vector clock per side follows release stores and acquire loads only. An access to a `tracked` object that is not ordered after the
//    other side's last one by them is a data race, whatever the schedule: a release or acquire that is missing is found.
#pragma once

#include <ucontext.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define SPILLWAY_MODEL_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SPILLWAY_MODEL_ASAN 1
#endif
#endif
#ifdef SPILLWAY_MODEL_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

namespace spillway::model {

enum class memory { sequential, weak };

using vector_clock = std::array<unsigned, 2>;

/// One execution's pair of sides, made anew for each. `side(0)` and `side(1)` run interleaved, then `finish()` alone.
class world {
 public:
  virtual ~world() = default;
  virtual void side(int number) = 0;
  virtual void finish() = 0;
};

class explorer {
 public:
  static constexpr int nobody = 2;

  /// `merge_states` off: walks every schedule to its end, for a check of point 1.
  explicit explorer(memory kind, bool merge_states = true) : kind_(kind), merge_states_(merge_states) {}

  /// Explores until a check fails or nothing is left. `make` builds a world in its first state.
  void run(const std::function<std::unique_ptr<world>()>& make) {
    current_ = this;
    visited_.clear();
    path_.clear();
    do {
      execute(make);
    } while (failure_.empty() && next_path());
    current_ = nullptr;
  }

  std::size_t executions() const { return executions_; }
  /// Each pair of histories with which both sides ended.
  const std::unordered_set<std::string>& endings() const { return endings_; }
  const std::string& failure() const { return failure_; }
  [[gnu::noinline]] void fail(const char* text) {
    if (failure_.empty()) failure_ = text;
  }
  void check(bool holds, const char* text) {
    if (!holds) fail(text);
  }

  static explorer& current() { return *current_; }
  int running() const { return running_; }
  memory kind() const { return kind_; }
  vector_clock& clock(int side) { return clocks_[static_cast<std::size_t>(side)]; }

  /// How many outcomes the access that a side is about to make has, asked whenever a choice is due.
  struct access {
    const void* atomic = nullptr;
    std::size_t (*outcomes)(const void* atomic, int side) = nullptr;
  };

  /// Called by a side that is about to touch an atomic; returns which outcome it gets.
  [[gnu::noinline]] std::size_t before_access(access next_access) {
    const int self = running_;
    pending_[self] = next_access;
    if (started_[static_cast<std::size_t>(1 - self)]) {
      choose();
    } else {
      next_ = 1 - self;
    }
    if (next_ != self) switch_from(self, next_);
    running_ = self;
    return chosen_value_;
  }
  void note(std::uint8_t outcome) { history_[static_cast<std::size_t>(running_)].push_back(static_cast<char>(outcome)); }

  /// A side, or the world outside of both, reads or writes `object`.
  [[gnu::noinline]] void touch(const void* object) {
    if (running_ == nobody) return;
    auto& last = object_at(object);
    const auto self = static_cast<std::size_t>(running_);
    if (last.side == 1 - running_ && clocks_[self][1 - self] < last.time) fail("data race on a record");
    last.side = running_;
    last.time = clocks_[self][self];
  }
  [[gnu::noinline]] void born(const void* object) {
    check(!object_at(object).alive, "a record was constructed over a living one");
    object_at(object).alive = true;
    touch(object);
  }
  [[gnu::noinline]] void used(const void* object) {
    check(object_at(object).alive, "a record was used that does not live");
    touch(object);
  }
  [[gnu::noinline]] void died(const void* object) {
    used(object);
    object_at(object).alive = false;
  }

 private:
  struct choice {
    std::size_t taken;
    std::size_t options;
  };
  struct object_state {
    const void* address;
    bool alive = false;
    int side = nobody;
    unsigned time = 0;
  };
  struct fiber {
    ucontext_t context{};
    std::vector<char> stack = std::vector<char>(128 * 1024);
    const void* bottom = nullptr;
    std::size_t size = 0;
  };

  void execute(const std::function<std::unique_ptr<world>()>& make) {
    ++executions_;
    running_ = nobody;
    depth_ = 0;
    branching_ = true;
    started_ = {};
    finished_ = {};
    clocks_ = {vector_clock{1, 0}, vector_clock{0, 1}};
    history_ = {};
    objects_.clear();
    world_ = make();
    for (int side : {0, 1}) {
      fiber& f = fibers_[side];
      getcontext(&f.context);
      f.context.uc_stack.ss_sp = f.stack.data();
      f.context.uc_stack.ss_size = f.stack.size();
      f.context.uc_link = nullptr;
      f.bottom = f.stack.data();
      f.size = f.stack.size();
      if (side == 0) makecontext(&f.context, &side_main<0>, 0);
      if (side == 1) makecontext(&f.context, &side_main<1>, 0);
    }
    switch_from(nobody, 0);
    running_ = nobody;
    world_->finish();
    world_.reset();
    endings_.insert(history_[0] + '|' + history_[1]);
    for (const object_state& object : objects_) check(!object.alive, "a record was never destroyed");
  }

  template <int Side>
  static void side_main() {
    explorer& self = current();
    self.switched(Side);
    self.running_ = Side;
    self.started_[Side] = true;
    self.world_->side(Side);
    self.finished_[Side] = true;
    if (self.finished_[1 - Side]) {
      self.next_ = nobody;
    } else if (self.started_[1 - Side]) {
      self.choose();
    } else {
      self.next_ = 1 - Side;
    }
    self.switch_from(Side, self.next_, true);
  }

  /// Decides which side goes on and what its load reads: a recorded choice while replaying, else the first option.
  void choose() {
    const std::size_t first = outcomes(0);
    const std::size_t options = first + outcomes(1);
    std::size_t taken = 0;
    if (branching_) {
      if (depth_ == path_.size()) {
        if (!merge_states_ || visited_.insert(history_[0] + '|' + history_[1]).second) {
          path_.push_back({0, options});
        } else {
          branching_ = false;
        }
      }
      if (branching_) taken = path_[depth_++].taken;
    }
    next_ = taken < first ? 0 : 1;
    chosen_value_ = next_ == 0 ? taken : taken - first;
  }

  std::size_t outcomes(int side) const {
    const auto at = static_cast<std::size_t>(side);
    return finished_[at] ? 0 : pending_[at].outcomes(pending_[at].atomic, side);
  }

  bool next_path() {
    while (!path_.empty() && path_.back().taken + 1 == path_.back().options) path_.pop_back();
    if (path_.empty()) return false;
    ++path_.back().taken;
    return true;
  }

  void switch_from(int from, int to, [[maybe_unused]] bool for_good = false) {
#ifdef SPILLWAY_MODEL_ASAN
    __sanitizer_start_switch_fiber(for_good ? nullptr : &fake_stacks_[from], fibers_[to].bottom, fibers_[to].size);
#endif
    came_from_ = from;
    swapcontext(&fibers_[from].context, &fibers_[to].context);
    switched(from);
  }
  void switched([[maybe_unused]] int arrived) {
#ifdef SPILLWAY_MODEL_ASAN
    const void* bottom = nullptr;
    std::size_t size = 0;
    __sanitizer_finish_switch_fiber(started_or_main(arrived) ? fake_stacks_[arrived] : nullptr, &bottom, &size);
    if (came_from_ == nobody) {
      fibers_[nobody].bottom = bottom;
      fibers_[nobody].size = size;
    }
#endif
  }
  bool started_or_main(int side) const { return side == nobody || started_[static_cast<std::size_t>(side)]; }

  object_state& object_at(const void* address) {
    for (object_state& object : objects_) {
      if (object.address == address) return object;
    }
    return objects_.emplace_back(object_state{address});
  }

  static inline explorer* current_ = nullptr;

  memory kind_;
  bool merge_states_;
  std::string failure_;
  std::size_t executions_ = 0;
  std::unordered_set<std::string> visited_;
  std::unordered_set<std::string> endings_;
  std::vector<choice> path_;
  std::size_t depth_ = 0;
  bool branching_ = true;

  std::unique_ptr<world> world_;
  fiber fibers_[3];
  [[maybe_unused]] void* fake_stacks_[3] = {};  // of AddressSanitizer
  int came_from_ = nobody;
  int running_ = nobody;
  int next_ = 0;
  std::size_t chosen_value_ = 0;
  access pending_[2];
  std::array<bool, 2> started_{};
  std::array<bool, 2> finished_{};
  std::array<std::string, 2> history_;
  std::array<vector_clock, 2> clocks_{};
  std::vector<object_state> objects_;
};

/// Stands in for std::atomic: keeps every store, so that a load may read an old one.
template <class Value>
class model_atomic {
 public:
  model_atomic(Value first = Value{}) : stores_{{first}} {}

  // Out of line, like the explorer: the verbs of a ring are inlined into every caller, and this would multiply with them.
  [[gnu::noinline]] Value load(std::memory_order order) const {
    explorer& explore = explorer::current();
    const int self = explore.running();
    if (self == explorer::nobody) return stores_.back().value;
    const std::size_t back = explore.before_access({this, &readable});
    const std::size_t index = stores_.size() - 1 - back;
    seen_[static_cast<std::size_t>(self)] = index;
    explore.note(static_cast<std::uint8_t>(index));
    const store_record& read = stores_[index];
    if (order == std::memory_order_acquire) acquire(read);
    return read.value;
  }

  [[gnu::noinline]] void store(Value value, std::memory_order order) {
    explorer& explore = explorer::current();
    const int self = explore.running();
    if (self == explorer::nobody) {
      stores_.assign(1, {value});
      seen_ = {};
      return;
    }
    explore.before_access({this, [](const void*, int) { return std::size_t{1}; }});
    explore.note(0xff);
    explore.check(writer_ == explorer::nobody || writer_ == self, "two sides store to one atomic");
    writer_ = self;
    append(value, order == std::memory_order_release);
  }

  /// Reads the latest store, whatever the memory. An atomic that both sides exchange is stored to in no other way.
  [[gnu::noinline]] Value exchange(Value value, std::memory_order order) {
    explorer& explore = explorer::current();
    if (explore.running() == explorer::nobody) {
      const Value before = stores_.back().value;
      store(value, order);
      return before;
    }
    explore.before_access({this, [](const void*, int) { return std::size_t{1}; }});
    explore.note(static_cast<std::uint8_t>(stores_.size() - 1));
    explore.check(writer_ == explorer::nobody, "an atomic is both stored to and exchanged");
    const bool ordered = order == std::memory_order_acq_rel;
    if (ordered) acquire(stores_.back());
    const Value before = stores_.back().value;
    append(value, ordered);
    return before;
  }

 private:
  struct store_record {
    Value value;
    vector_clock clock{};
    bool release = false;
    int side = explorer::nobody;
  };

  void append(Value value, bool release) {
    explorer& explore = explorer::current();
    const auto self = static_cast<std::size_t>(explore.running());
    stores_.push_back({value, explore.clock(explore.running()), release, explore.running()});
    seen_[self] = stores_.size() - 1;
    if (release) ++explore.clock(explore.running())[self];
  }

  static void acquire(const store_record& read) {
    if (!read.release) return;
    vector_clock& clock = explorer::current().clock(explorer::current().running());
    for (std::size_t i = 0; i < 2; ++i) clock[i] = clock[i] < read.clock[i] ? read.clock[i] : clock[i];
  }

  /// The stores that a load of `side` may read are the latest so many.
  static std::size_t readable(const void* atomic, int side) {
    if (explorer::current().kind() == memory::sequential) return 1;
    const auto& self = *static_cast<const model_atomic*>(atomic);
    const vector_clock& clock = explorer::current().clock(side);
    std::size_t oldest = self.stores_.size() - 1;
    for (; oldest > self.seen_[static_cast<std::size_t>(side)]; --oldest) {
      const store_record& s = self.stores_[oldest];
      const auto writer = static_cast<std::size_t>(s.side);
      if (s.clock[writer] <= clock[writer]) break;  // happened before
    }
    return self.stores_.size() - oldest;
  }

  std::vector<store_record> stores_;
  mutable std::array<std::size_t, 2> seen_{};
  int writer_ = explorer::nobody;
};

/// A record whose life and accesses the explorer follows.
class tracked {
 public:
  [[gnu::noinline]] explicit tracked(int value) : value_(value) { explorer::current().born(this); }
  tracked(tracked&& other) noexcept : value_(other.value()) { explorer::current().born(this); }
  tracked& operator=(tracked&& other) noexcept {
    explorer::current().used(this);
    value_ = other.value();
    return *this;
  }
  [[gnu::noinline]] ~tracked() { explorer::current().died(this); }
  [[gnu::noinline]] int value() const {
    explorer::current().used(this);
    return value_;
  }

 private:
  int value_;
};

}  // namespace spillway::model
