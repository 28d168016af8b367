#include "spillway/doctor/host_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

namespace spillway::tool {

namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::int64_t most_cpus = 65'536;

/// Calls `f(part)` for each part between separators.
template <class F>
void for_each_part(std::string_view text, char separator, F&& f) {
  while (true) {
    const std::size_t end = text.find(separator);
    f(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return words;
    text.remove_prefix(begin);
    const std::size_t end = std::min(text.find_first_of(blanks), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

bool append_range(std::string_view part, std::vector<int>& cpus) {
  const std::size_t dash = part.find('-');
  const auto first = parse_whole(part.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : parse_whole(part.substr(dash + 1));
  if (!first || !last || *first < 0 || *last < *first || *last >= most_cpus) return false;
  for (std::int64_t cpu = *first; cpu <= *last; ++cpu) cpus.push_back(static_cast<int>(cpu));
  return true;
}

}  // namespace

std::string_view without_white_space(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::optional<std::int64_t> parse_whole(std::string_view text) {
  text = without_white_space(text);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::vector<int>> parse_cpu_list(std::string_view text) {
  text = without_white_space(text);
  std::vector<int> cpus;
  if (text.empty() || text == "(null)") return cpus;
  bool right = true;
  for_each_part(text, ',', [&](std::string_view part) { right = right && append_range(part, cpus); });
  if (!right) return std::nullopt;
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::string print_cpu_list(const std::vector<int>& cpus) {
  if (cpus.empty()) return "none";
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += last == i ? fmt::format("{}", cpus[i]) : fmt::format("{}-{}", cpus[i], cpus[last]);
    i = last + 1;
  }
  return text;
}

std::optional<std::string> chosen_of(std::string_view text) {
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos) return std::nullopt;
  const std::size_t close = text.find(']', open);
  if (close == std::string_view::npos) return std::nullopt;
  return std::string(text.substr(open + 1, close - open - 1));
}

std::optional<std::string> field_of(std::string_view text, std::string_view name) {
  std::optional<std::string> value;
  for_each_part(text, '\n', [&](std::string_view line) {
    if (!value && line.size() > name.size() && line.starts_with(name) && line[name.size()] == ':')
      value = std::string(without_white_space(line.substr(name.size() + 1)));
  });
  return value;
}

std::optional<cpu_ticks> parse_cpu_ticks(std::string_view stat) {
  const auto words = words_of(stat.substr(0, stat.find('\n')));
  // user nice system idle iowait irq softirq steal; what follows is counted in user and nice already.
  if (words.size() < 9 || words[0] != "cpu") return std::nullopt;
  cpu_ticks ticks{};
  for (std::size_t i = 1; i <= 8; ++i) {
    const auto value = parse_whole(words[i]);
    if (!value || *value < 0) return std::nullopt;
    ticks.all += static_cast<std::uint64_t>(*value);
    if (i == 8) ticks.stolen = static_cast<std::uint64_t>(*value);
  }
  return ticks;
}

group_paths parse_groups(std::string_view text) {
  group_paths paths;
  for_each_part(text, '\n', [&](std::string_view line) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) return;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string path(line.substr(second + 1));
    if (controllers.empty()) paths.unified = path;
    for_each_part(controllers, ',', [&](std::string_view name) {
      if (name == "cpu") paths.cpu = path;
    });
  });
  return paths;
}

std::optional<double> parse_cpu_max(std::string_view text) {
  const auto words = words_of(text);
  if (words.size() != 2) return std::nullopt;
  const auto period = parse_whole(words[1]);
  if (!period || *period <= 0) return std::nullopt;
  if (words[0] == "max") return 0;
  const auto quota = parse_whole(words[0]);
  if (!quota || *quota <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

bool has_capability(std::string_view digits, unsigned number) {
  digits = without_white_space(digits);
  std::uint64_t set = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), set, 16);
  return error == std::errc{} && end == digits.data() + digits.size() && number < 64 && (set >> number & 1) != 0;
}

}  // namespace spillway::tool
