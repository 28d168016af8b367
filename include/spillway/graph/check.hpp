// The checks of a whole graph, made when a pipeline is written, on descriptors only: stage names, tags emitted, tags read.
//
// Types only.
// 1. Each fault is one static_assert with one sentence; the names at fault stand in the template arguments beside it.
// 2. The fused types never appear here, so an error is lines, not pages.
//
//     auto parse_lines = sw::stage<"parse">(sw::any_cpu{}, lines() | sw::try_map(sw::fn<parse>, malformed) | sw::discard());
//     // Without the second item: error: static assertion failed: spillway: a tag is emitted but never read; ...
//     sw::pipeline p(std::move(parse_lines), sw::discard(malformed));
//     p.run();
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "spillway/graph/from.hpp"

namespace spillway {

/// `discard(tag)` as an item of a pipeline: the tag is emitted and nobody wants it. No ring; the emissions are counted.
template <class Tag>
struct discarded_tag {
  using is_discard = void;
  using tag = Tag;
};
template <any_output_tag Tag>
constexpr discarded_tag<std::remove_cvref_t<Tag>> discard(const Tag&) {
  return {};
}

namespace detail {

template <fixed_string Name, bool HasMain, class Record, class Emits, class OnTags, class Reads>
struct descriptor {
  static constexpr auto name = Name;
  static constexpr bool has_main = HasMain;
  using record = Record;
  using emits = Emits;
  using on_tags = OnTags;
  using reads = Reads;
};

template <class Stage>
using descriptor_of =
    descriptor<Stage::name, !std::is_same_v<typename Stage::output::record, no_record>, typename Stage::output::record,
               typename Stage::emits, typename Stage::on_tags, typename Stage::reads>;

// Each of these is instantiated for one thing that is checked; `Ok` false is the error.
template <fixed_string Stage, bool Ok>
struct stage_name_is_unique {
  static_assert(Ok, "spillway: two stages of the pipeline have the same name");
  static constexpr bool ok = Ok;
};
template <class Tag, fixed_string Stage, bool Ok>
struct emitted_tag_is_read {
  static_assert(
      Ok,
      "spillway: a tag is emitted but never read; read it with from(tag) or on(tag, ...), or write discard(tag) as an item of the pipeline");
  static constexpr bool ok = Ok;
};
template <class Read, fixed_string Stage, bool Ok>
struct read_tag_is_emitted {
  static_assert(Ok, "spillway: a tag is read but never emitted by a stage of the pipeline");
  static constexpr bool ok = Ok;
};
template <class Tag, bool Ok>
struct discarded_tag_is_emitted {
  static_assert(Ok, "spillway: discard(tag) names a tag that no stage of the pipeline emits");
  static constexpr bool ok = Ok;
};
template <class Tag, fixed_string Stage, bool Ok>
struct tag_has_one_type {
  static_assert(Ok, "spillway: one tag name is used with two record types in one stage");
  static constexpr bool ok = Ok;
};
template <fixed_string Stage, bool Ok>
struct main_output_is_read {
  static_assert(
      Ok,
      "spillway: the main output of a stage is never read; read it with from(stage), or end the stage with sink(...) or discard()");
  static constexpr bool ok = Ok;
};
template <class Read, fixed_string Stage, bool Ok>
struct read_stage_is_there {
  static_assert(Ok,
                "spillway: from(stage) reads a stage that is not an item of the pipeline, or that has another main type there");
  static constexpr bool ok = Ok;
};
template <fixed_string Stage, bool Ok>
struct graph_has_no_cycle {
  static_assert(Ok, "spillway: the stages of the pipeline form a cycle");
  static constexpr bool ok = Ok;
};

// --- answers about one tag or one read ------------------------------------------------------------------------------------------------

template <class Stage, class Read>
struct stage_answers;  // does Stage provide what Read asks for?
template <class Stage, fixed_string Name, class Record>
struct stage_answers<Stage, reads_main<Name, Record>> {
  static constexpr bool value = Stage::name == Name && Stage::has_main && std::is_same_v<Record, typename Stage::record>;
};
template <class Stage, class Tag>
struct stage_answers<Stage, reads_tag<Tag>> {
  static constexpr bool value = tag_list_contains<Tag, typename Stage::emits>;
};
template <class Stage, fixed_string Name, class Tag>
struct stage_answers<Stage, reads_side<Name, Tag>> {
  static constexpr bool value = Stage::name == Name && tag_list_contains<Tag, typename Stage::emits>;
};

template <class Stage, class List>
inline constexpr bool answers_any = false;
template <class Stage, class... Reads>
inline constexpr bool answers_any<Stage, tag_list<Reads...>> = (stage_answers<Stage, Reads>::value || ...);

/// Does a list of reads take Tag from Stage?
template <class Tag, class Stage, class List>
inline constexpr bool reads_tag_of = false;
template <class Tag, class Stage, class... Reads>
inline constexpr bool reads_tag_of<Tag, Stage, tag_list<Reads...>> =
    ((std::is_same_v<Reads, reads_tag<Tag>> || std::is_same_v<Reads, reads_side<Stage::name, Tag>>) || ...);

template <class Stage, class List>
inline constexpr bool reads_main_of = false;
template <class Stage, class... Reads>
inline constexpr bool reads_main_of<Stage, tag_list<Reads...>> =
    (std::is_same_v<Reads, reads_main<Stage::name, typename Stage::record>> || ...);

template <class A, class B>
inline constexpr bool clashing_tags = !std::is_same_v<A, B> && A::name() == B::name();

// --- the checks -------------------------------------------------------------------------------------------------------------------------

template <class Discards, class... Stages>
struct graph;

template <class... Discarded, class... Stages>
struct graph<tag_list<Discarded...>, Stages...> {
  template <class Stage>
  static constexpr int times_named = (0 + ... + (Stage::name == Stages::name ? 1 : 0));

  template <class Tag, class Stage>
  static constexpr bool tag_is_read = (reads_tag_of<Tag, Stage, typename Stages::reads> || ...);
  template <class Stage, class... Tags>
  static constexpr bool emitted_ok(tag_list<Tags...>) {
    return (
        true & ... & emitted_tag_is_read < Tags, Stage::name,
        tag_list_contains<Tags, typename Stage::on_tags> || tag_list_contains<Tags, tag_list<Discarded...>> || tag_is_read < Tags,
        Stage >> ::ok);
  }
  template <class Tag>
  static constexpr bool tag_is_emitted = (tag_list_contains<Tag, typename Stages::emits> || ...);

  template <class Stage>
  static constexpr bool types_ok(tag_list<>) {
    return true;
  }
  /// Each tag is held against those behind it, so that a clash is reported once.
  template <class Stage, class Tag, class... Rest>
  static constexpr bool types_ok(tag_list<Tag, Rest...>) {
    return tag_has_one_type<Tag, Stage::name, !(clashing_tags<Tag, Rest> || ...)>::ok && types_ok<Stage>(tag_list<Rest...>{});
  }

  template <class Stage, class Read>
  static constexpr bool read_ok(std::type_identity<Read>) {
    return read_tag_is_emitted<Read, Stage::name, (stage_answers<Stages, Read>::value || ...)>::ok;
  }
  template <class Stage, fixed_string Name, class Record>
  static constexpr bool read_ok(std::type_identity<reads_main<Name, Record>>) {
    return read_stage_is_there<reads_main<Name, Record>, Stage::name,
                               (stage_answers<Stages, reads_main<Name, Record>>::value || ...)>::ok;
  }
  template <class Stage, class... Reads>
  static constexpr bool reads_ok(tag_list<Reads...>) {
    return (true && ... && read_ok<Stage>(std::type_identity<Reads>{}));
  }

  template <class Stage>
  static constexpr bool main_read = !Stage::has_main || (reads_main_of<Stage, typename Stages::reads> || ...);

  static constexpr std::size_t size = sizeof...(Stages);
  using row = std::array<bool, size>;

  template <class Reader>
  static constexpr row row_of() {
    return {answers_any<Stages, typename Reader::reads>...};
  }
  /// Can a stage reach itself along its inputs?
  static constexpr std::array<bool, size> in_cycle() {
    std::array<row, size> reads = {row_of<Stages>()...};
    for (std::size_t k = 0; k < size; ++k) {
      for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j < size; ++j) reads[i][j] = reads[i][j] || (reads[i][k] && reads[k][j]);
      }
    }
    std::array<bool, size> cyclic{};
    for (std::size_t i = 0; i < size; ++i) cyclic[i] = reads[i][i];
    return cyclic;
  }
  template <std::size_t... I>
  static constexpr bool cycles_ok(std::index_sequence<I...>) {
    constexpr auto cyclic = in_cycle();
    return (true && ... && graph_has_no_cycle<Stages::name, !cyclic[I]>::ok);
  }

  static constexpr bool sound() {
    if constexpr (!(true && ... && stage_name_is_unique<Stages::name, (times_named<Stages> == 1)>::ok)) {
      return false;
    } else if constexpr (!(true && ... && types_ok<Stages>(typename Stages::emits{}))) {
      return false;
    } else {
      return (true && ... && reads_ok<Stages>(typename Stages::reads{})) &&
             (true && ... && emitted_ok<Stages>(typename Stages::emits{})) &
                 (true && ... && main_output_is_read<Stages::name, main_read<Stages>>::ok) &&
             (true && ... && discarded_tag_is_emitted<Discarded, tag_is_emitted<Discarded>>::ok) &&
             cycles_ok(std::make_index_sequence<size>{});
    }
  }
};

}  // namespace detail
}  // namespace spillway
