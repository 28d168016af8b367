// Students: the names of each year go to a side output of their own while all students go on untouched; then
// two other ways to split a stream, to show when a side output is not needed.
//
// 1. Side outputs: one decision per student, another record type on the side, and a main output as if nothing
//    had happened. The stages that read the side outputs hold up neither each other nor the main output.
// 2. `filter`: two stages read all students, and each keeps those it wants. Where records stay as they are and
//    the condition is cheap, a side output is not needed. This is simpler; it hands every record to every reader.
// 3. Routing: a process function without a main output, one tag per branch. It pays where the decision is dear
//    and should be made once, or where each edge should carry its own records only, with its own policy.
#include <cctype>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>

#include "spillway/spillway.hpp"

namespace sw = spillway;

using student_name = sw::fixed_string<15>;

struct student {
  student_name name;
  int year;
  int score;

  friend std::ostream& operator<<(std::ostream& out, const student& s) {
    return out << s.name << ", year " << s.year << ", " << s.score;
  }
};

auto all_students() {
  return sw::source(sw::elements<student>{
      {"Amy", 2, 100}, {"Emily", 3, 60}, {"Kelly", 2, 80}, {"Mia", 3, 70}, {"Selina", 2, 75}});
}

std::string lower(const student_name& name) {
  std::string text(name.view());
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string upper(const student_name& name) {
  std::string text(name.view());
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// --- 1. Side outputs ---

inline constexpr sw::output_tag<"year 2 names", student_name> year_2_names{};
inline constexpr sw::output_tag<"year 3 names", student_name> year_3_names{};

struct names_by_year {
  using main = student;
  using emits = sw::emits<year_2_names, year_3_names>;

  void on_record(auto& ctx, const student& s) const {
    if (s.year == 2) ctx.output(year_2_names, s.name);
    if (s.year == 3) ctx.output(year_3_names, s.name);
    ctx.emit(s);
  }
};

void with_side_outputs() {
  // One stream for each stage, since stages run on threads of their own.
  std::ostringstream everyone, year_2, year_3;

  auto school = sw::stage<"school">(
      sw::any_cpu{}, all_students() | sw::process(names_by_year{}) | sw::print("main", everyone));
  auto second = sw::stage<"second">(
      sw::any_cpu{}, sw::from(year_2_names) | sw::map(sw::fn<lower>) | sw::print("year 2", year_2));
  auto third = sw::stage<"third">(
      sw::any_cpu{}, sw::from(year_3_names) | sw::map(sw::fn<upper>) | sw::print("year 3", year_3));

  sw::pipeline(std::move(school), std::move(second), std::move(third)).run();
  std::cout << "side outputs\n" << year_2.str() << year_3.str() << everyone.str();
}

// --- 2. filter ---

template <int Year>
bool in_year(const student& s) {
  return s.year == Year;
}

void with_filter() {
  std::ostringstream year_2, year_3;

  auto school = sw::stage<"school">(sw::any_cpu{}, all_students());
  auto second = sw::stage<"second">(sw::any_cpu{},
      sw::from(school)
          | sw::filter(sw::fn<in_year<2>>)
          | sw::map(&student::name)
          | sw::map(sw::fn<lower>)
          | sw::print("year 2", year_2));
  auto third = sw::stage<"third">(sw::any_cpu{},
      sw::from(school)
          | sw::filter(sw::fn<in_year<3>>)
          | sw::map(&student::name)
          | sw::map(sw::fn<upper>)
          | sw::print("year 3", year_3));

  sw::pipeline(std::move(school), std::move(second), std::move(third)).run();
  std::cout << "filter\n" << year_2.str() << year_3.str();
}

// --- 3. Routing ---

inline constexpr sw::output_tag<"year 2", student> year_2_students{};
inline constexpr sw::output_tag<"year 3", student> year_3_students{};

struct route_by_year {
  using main = sw::no_record;
  using emits = sw::emits<year_2_students, year_3_students>;

  void on_record(auto& ctx, const student& s) const {
    if (s.year == 2) ctx.output(year_2_students, s);
    if (s.year == 3) ctx.output(year_3_students, s);
  }
};

void with_routing() {
  std::ostringstream year_2, year_3;

  auto school = sw::stage<"school">(sw::any_cpu{}, all_students() | sw::process(route_by_year{}));
  auto second = sw::stage<"second">(sw::any_cpu{},
      sw::from(year_2_students, sw::block)
          | sw::map(&student::name)
          | sw::map(sw::fn<lower>)
          | sw::print("year 2", year_2));
  auto third = sw::stage<"third">(sw::any_cpu{},
      sw::from(year_3_students, sw::block)
          | sw::map(&student::name)
          | sw::map(sw::fn<upper>)
          | sw::print("year 3", year_3));

  sw::pipeline(std::move(school), std::move(second), std::move(third)).run();
  std::cout << "routing\n" << year_2.str() << year_3.str();
}

int main() {
  with_side_outputs();
  with_filter();
  with_routing();
}
