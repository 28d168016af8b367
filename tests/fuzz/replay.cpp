// Runs a fuzz target without libFuzzer: every file of the corpus folders named on the command line, then mutations of them from a
// fixed seed, so that each run does the same.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using input = std::vector<std::uint8_t>;

std::vector<input> read_corpus(int argc, char** argv) {
  std::vector<input> corpus{input{}};
  for (int i = 1; i < argc; ++i) {
    if (!std::filesystem::is_directory(argv[i])) continue;
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      std::ifstream file(entry.path(), std::ios::binary);
      corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
  }
  return corpus;
}

input mutate(input bytes, std::mt19937_64& random) {
  const auto below = [&random](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (std::size_t edits = 1 + below(8); edits > 0; --edits) {
    const auto at = static_cast<std::ptrdiff_t>(below(bytes.size() + 1));
    const auto byte = static_cast<std::uint8_t>(below(4) == 0 ? below(256) : 32 + below(95));
    const std::size_t kind = bytes.empty() ? 0 : below(4);
    if (kind == 0 || at == std::ssize(bytes)) {
      bytes.insert(bytes.begin() + at, 1 + below(4), byte);
    } else if (kind == 1) {
      bytes[static_cast<std::size_t>(at)] = byte;
    } else if (kind == 2) {
      bytes.erase(bytes.begin() + at);
    } else {
      bytes.resize(static_cast<std::size_t>(at));
    }
  }
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int mutations = 20'000;
  const std::vector<input> corpus = read_corpus(argc, argv);
  for (const input& bytes : corpus) LLVMFuzzerTestOneInput(bytes.data(), bytes.size());

  std::mt19937_64 random(1);
  input previous;
  for (int i = 0; i < mutations; ++i) {
    const bool from_corpus = random() % 4 == 0 || previous.size() > 4096;
    previous = mutate(from_corpus ? corpus[random() % corpus.size()] : previous, random);
    LLVMFuzzerTestOneInput(previous.data(), previous.size());
  }
  std::printf("%zu corpus inputs and %d mutations\n", corpus.size(), mutations);
}
