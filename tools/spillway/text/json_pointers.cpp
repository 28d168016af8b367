#include "json_pointers.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace spillway::tool {

namespace {

/// One step of a pointer with its escapes resolved: ~1 is a slash, ~0 a tilde.
std::string unescaped(std::string_view pointer, std::string_view step) {
  std::string name;
  for (std::size_t i = 0; i < step.size(); ++i) {
    if (step[i] != '~') {
      name += step[i];
    } else if (++i < step.size() && (step[i] == '0' || step[i] == '1')) {
      name += step[i] == '0' ? '~' : '/';
    } else {
      throw std::invalid_argument("'" + std::string(pointer) +
                                  "' is not a JSON pointer; write ~0 for '~' and ~1 for '/' in a name");
    }
  }
  return name;
}

std::size_t array_index(std::string_view name) noexcept {
  std::size_t index = 0;
  const char* const end = name.data() + name.size();
  const bool usual = !name.empty() && name[0] >= '0' && name[0] <= '9' && (name[0] != '0' || name.size() == 1);
  if (!usual) return json_pointers::no_index;
  const auto [stop, error] = std::from_chars(name.data(), end, index);
  return stop == end && error == std::errc{} ? index : json_pointers::no_index;
}

json_pointers::node& child_of(json_pointers::node& parent, const std::string& name) {
  const auto found =
      std::find_if(parent.children.begin(), parent.children.end(), [&](const auto& each) { return each.name == name; });
  if (found != parent.children.end()) return *found;
  parent.children.push_back({.name = name, .index = array_index(name), .targets = {}, .children = {}});
  return parent.children.back();
}

}  // namespace

json_pointers::json_pointers(std::span<const std::string> pointers) {
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    const std::string_view pointer = pointers[i];
    if (!pointer.starts_with('/'))
      throw std::invalid_argument("'" + pointers[i] + "' is not a JSON pointer; begin it with '/', as in /data/price");
    node* place = &root_;
    for (std::string_view rest = pointer; !rest.empty();) {
      rest.remove_prefix(1);
      const std::size_t size = std::min(rest.find('/'), rest.size());
      place = &child_of(*place, unescaped(pointer, rest.substr(0, size)));
      rest.remove_prefix(size);
    }
    place->targets.push_back(i);
  }
}

}  // namespace spillway::tool
