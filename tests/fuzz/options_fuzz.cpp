// Any words as a command line: a line of the input is a word. Parsing ends in options that are consistent, in a text
// with an exit status, or in Usage; and it is the same the second time.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "options.hpp"
#include "status.hpp"

namespace {
using namespace lanesort::cli;

void require(bool truth) {
  if (!truth) std::abort();
}

std::vector<std::string> words_of(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> words = {"lanesort", ""};
  for (std::size_t i = 0; i < size; ++i) {
    if (data[i] == '\n')
      words.emplace_back();
    else if (data[i] != 0)
      words.back() += static_cast<char>(data[i]);  // no word of a command line holds a zero
  }
  return words;
}

std::string outcome(const std::vector<std::string>& words) {
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  try {
    const Parsed parsed = parse_options(static_cast<int>(argv.size()), argv.data(), false);
    if (parsed.exit_status) {
      require((*parsed.exit_status == kGood || *parsed.exit_status == kTrouble) && !parsed.text.empty());
      return parsed.text;
    }
    const Options& o = parsed.options;
    require(o.bit_begin <= o.bit_end);
    require(o.index_bytes == 0 || o.index_bytes == 4 || o.index_bytes == 8);
    require(o.values_out.empty() || o.values_out.size() == o.values.size());
    require(o.indices_out.empty() || o.indices_out != o.output);
    require(!o.dtype || lanesort_dtype_bytes(*o.dtype) != 0);
    return o.input + "\n" + o.output + "\n" + o.indices_out + "\n" + std::to_string(o.k) + "\n" + std::to_string(o.memory_limit_bytes);
  } catch (const Usage& usage) {
    return usage.what();
  }
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;
  const auto words = words_of(data, size);
  require(outcome(words) == outcome(words));
  return 0;
}
