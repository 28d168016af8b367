#include "ndjson_fields.hpp"

#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "json_pointers.hpp"
#include "number_text.hpp"

namespace spillway::tool {

namespace {

namespace ondemand = simdjson::ondemand;
using node = json_pointers::node;

static_assert(segment_padding >= simdjson::SIMDJSON_PADDING, "spillway: the padding behind a line is less than simdjson reads");

constexpr int most_levels = 512;

std::string_view without_space(std::string_view token) noexcept {
  while (!token.empty() && (token.back() == ' ' || token.back() == '\t' || token.back() == '\r' || token.back() == '\n'))
    token.remove_suffix(1);
  return token;
}

/// Whether `token` is a number by the grammar of RFC 8259.
bool is_number(std::string_view token) noexcept {
  const char* at = token.data();
  const char* const end = at + token.size();
  const auto digits = [&] {
    const char* const first = at;
    while (at != end && is_digit(*at)) ++at;
    return at - first;
  };
  if (at != end && *at == '-') ++at;
  const bool zero = at != end && *at == '0';
  const auto whole = digits();
  if (whole == 0 || (zero && whole > 1)) return false;
  if (at != end && *at == '.') {
    ++at;
    if (digits() == 0) return false;
  }
  if (at != end && (*at == 'e' || *at == 'E')) {
    ++at;
    if (at != end && (*at == '+' || *at == '-')) ++at;
    if (digits() == 0) return false;
  }
  return at == end;
}

/// One walk over one line. Every member that walks answers false when the text is no JSON.
class walker {
 public:
  walker(std::string_view line, std::vector<json_field>& fields, text_scratch& scratch)
      : end_(line.data() + without_space(line).size()),
        escapes_(line.find('\\') != std::string_view::npos),
        fields_(fields),
        scratch_(scratch) {}

  bool document(ondemand::document& whole, const node& root) {
    ondemand::json_type type{};
    if (whole.type().get(type)) return false;
    bool good = false;
    if (type == ondemand::json_type::object) {
      ondemand::object object;
      good = !whole.get_object().get(object) && this->object(object, &root, 1);
    } else if (type == ondemand::json_type::array) {
      ondemand::array array;
      good = !whole.get_array().get(array) && this->array(array, &root, 1);
    } else {
      return lone_scalar(whole, type);
    }
    const char* behind = nullptr;
    return good && whole.current_location().get(behind) == simdjson::OUT_OF_BOUNDS;
  }

 private:
  bool object(ondemand::object& object, const node* place, int level) {
    if (level > most_levels) return false;
    for (auto entry : object) {
      ondemand::field field;
      if (std::move(entry).get(field)) return false;
      const node* inner = nullptr;
      if (!name(field, place, inner)) return false;
      if (!value(field.value(), inner, level)) return false;
    }
    return true;
  }

  bool array(ondemand::array& array, const node* place, int level) {
    if (level > most_levels) return false;
    std::size_t index = 0;
    for (auto entry : array) {
      ondemand::value element;
      if (std::move(entry).get(element)) return false;
      const node* inner = place == nullptr ? nullptr : place->child(index);
      if (!value(element, inner, level)) return false;
      ++index;
    }
    return true;
  }

  bool name(ondemand::field& field, const node* place, const node*& inner) {
    if (escapes_) {
      std::string_view text;
      if (field.unescaped_key().get(text)) return false;
      if (place != nullptr) inner = place->child(text);
      return true;
    }
    if (place != nullptr) inner = place->child(closed_text(field.key().raw()));
    return true;
  }

  /// The text up to the closing quote, in a line without escapes.
  std::string_view closed_text(const char* begin) const noexcept {
    const void* quote = std::memchr(begin, '"', static_cast<std::size_t>(end_ - begin));
    return quote == nullptr ? std::string_view{}
                            : std::string_view{begin, static_cast<std::size_t>(static_cast<const char*>(quote) - begin)};
  }

  bool value(ondemand::value& value, const node* place, int level) {
    ondemand::json_type type{};
    if (value.type().get(type)) return false;
    switch (type) {
      case ondemand::json_type::object: {
        found(place, {json_kind::object, {}});
        ondemand::object inner;
        return !value.get_object().get(inner) && object(inner, place, level + 1);
      }
      case ondemand::json_type::array: {
        found(place, {json_kind::array, {}});
        ondemand::array inner;
        return !value.get_array().get(inner) && array(inner, place, level + 1);
      }
      case ondemand::json_type::string:
        return string(value, place);
      case ondemand::json_type::number:
      case ondemand::json_type::boolean:
      case ondemand::json_type::null:
        break;
    }
    return scalar(without_space(value.raw_json_token()), type, place);
  }
  bool value(ondemand::value&& value, const node* place, int level) { return this->value(value, place, level); }

  bool string(ondemand::value& value, const node* place) {
    if (escapes_) {
      std::string_view text;
      if (value.get_string().get(text)) return false;
      if (place != nullptr && !place->targets.empty()) found(place, {json_kind::string, kept(text)});
      return true;
    }
    ondemand::raw_json_string raw;
    if (value.get_raw_json_string().get(raw)) return false;
    if (place != nullptr) found(place, {json_kind::string, closed_text(raw.raw())});
    return true;
  }

  bool scalar(std::string_view token, ondemand::json_type type, const node* place) {
    json_kind kind = json_kind::number;
    if (type == ondemand::json_type::boolean) {
      if (token != "true" && token != "false") return false;
      kind = json_kind::boolean;
    } else if (type == ondemand::json_type::null) {
      if (token != "null") return false;
      kind = json_kind::null;
    } else if (!is_number(token)) {
      return false;
    }
    found(place, {kind, token});
    return true;
  }

  /// A line that is one scalar: no pointer leads into it, but it is JSON.
  bool lone_scalar(ondemand::document& whole, ondemand::json_type type) {
    std::string_view token;
    if (type != ondemand::json_type::string) {
      if (whole.raw_json_token().get(token)) return false;
      token = without_space(token);
      return token.data() + token.size() == end_ && scalar(token, type, nullptr);
    }
    std::string_view text;
    const char* behind = nullptr;
    return !whole.get_string().get(text) && whole.current_location().get(behind) == simdjson::OUT_OF_BOUNDS;
  }

  void found(const node* place, json_field field) noexcept {
    if (place == nullptr) return;
    for (const std::size_t target : place->targets)
      if (fields_[target].kind == json_kind::missing) fields_[target] = field;
  }

  std::string_view kept(std::string_view text) {
    char* const copy = scratch_.allocate(text.size());
    text.copy(copy, text.size());
    return {copy, text.size()};
  }

  const char* end_;  // of the text, without the space behind it
  bool escapes_;
  std::vector<json_field>& fields_;
  text_scratch& scratch_;
};

}  // namespace

struct ndjson_fields::parts {
  json_pointers pointers;
  ondemand::parser parser;
};

ndjson_fields::ndjson_fields(std::span<const std::string> pointers, std::size_t max_line)
    : parts_(new parts{json_pointers(pointers), ondemand::parser(max_line + segment_padding)}), fields_(pointers.size()) {
  // All memory now, so that no line has to allocate.
  if (parts_->parser.allocate(max_line + segment_padding))
    throw std::invalid_argument("spillway: lines of " + std::to_string(max_line) +
                                " bytes are too long for JSON; choose a smaller --max-line");
}

ndjson_fields::ndjson_fields(ndjson_fields&&) noexcept = default;
ndjson_fields& ndjson_fields::operator=(ndjson_fields&&) noexcept = default;
ndjson_fields::~ndjson_fields() = default;

bool ndjson_fields::parse(std::string_view line, text_scratch& scratch) {
  std::fill(fields_.begin(), fields_.end(), json_field{});
  ondemand::document document;
  if (!parts_->parser.iterate(line.data(), line.size(), line.size() + segment_padding).get(document) &&
      walker(line, fields_, scratch).document(document, parts_->pointers.root()))
    return true;
  std::fill(fields_.begin(), fields_.end(), json_field{});
  return false;
}

}  // namespace spillway::tool
