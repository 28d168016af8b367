// The compile-time identity of a side output: a name and a record type.
//
// 1. A tag is a type; its value carries nothing and may be copied anywhere.
// 2. A tag is scoped to the stage that emits it: two stages may use one name, one stage may not use one name with two types.
//
//     inline constexpr sw::output_tag<"negative", double> negative{};
//
//     int below = 0;
//     auto positive = collect(sw::source(sw::elements{20.0, -5.0})
//                             | sw::process<double>(sw::emits<negative>{}, [](auto& ctx, double d) {
//                                 d < 0 ? ctx.output(negative, d) : ctx.emit(d);
//                               })
//                             | sw::on(negative, sw::sink([&](double) { ++below; })));
//     assert(positive.size() == 1 && below == 1);
#pragma once

#include <string_view>
#include <type_traits>

#include "spillway/core/fixed_string.hpp"

namespace spillway {

template <fixed_string Name, class Record>
struct output_tag {
  static_assert(Name.size() > 0, "spillway: an output_tag needs a name that is not empty");
  static_assert(std::is_object_v<Record>, "spillway: an output_tag carries values, not references or void");

  using record = Record;
  static constexpr std::string_view name() noexcept { return Name.view(); }
};

/// Stands where an operator has no side output of that kind (a window without a late tag).
struct no_tag {};

namespace detail {
template <class>
inline constexpr bool is_output_tag = false;
template <fixed_string Name, class Record>
inline constexpr bool is_output_tag<output_tag<Name, Record>> = true;
}  // namespace detail

/// Any output tag, const-qualified or not.
template <class T>
concept any_output_tag = detail::is_output_tag<std::remove_cvref_t<T>>;

/// A list of tag types, in order of declaration.
template <class... Tags>
struct tag_list {};

namespace detail {
template <class Tag, class List>
inline constexpr bool tag_list_contains = false;
template <class Tag, class... Tags>
inline constexpr bool tag_list_contains<Tag, tag_list<Tags...>> = (std::is_same_v<Tag, Tags> || ...);
}  // namespace detail

namespace detail {
template <class... Lists>
struct concat_tags;
template <>
struct concat_tags<> {
  using type = tag_list<>;
};
template <class... Tags>
struct concat_tags<tag_list<Tags...>> {
  using type = tag_list<Tags...>;
};
template <class... A, class... B, class... Rest>
struct concat_tags<tag_list<A...>, tag_list<B...>, Rest...> : concat_tags<tag_list<A..., B...>, Rest...> {};
}  // namespace detail

/// The tags that an operator may output, named by their constants: `using emits = spillway::emits<hot, quiet>;`.
template <const auto&... Tags>
struct emits {
  static_assert((any_output_tag<decltype(Tags)> && ...), "spillway: emits<...> takes output_tag constants");
  using list = tag_list<std::remove_cvref_t<decltype(Tags)>...>;
};

}  // namespace spillway
