// Texts with a grammar of their own, and the guess at what a mistyped word was to be. No CLI11 in here: it is fuzzed.
#include "options.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "status.hpp"

namespace lanesort::cli {
namespace {
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
    }
  }
  return row[b.size()];
}

std::uint64_t physical_memory_bytes() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}
}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::min<std::size_t>(word.size() / 2, 3) + 1;
  for (const std::string& candidate : candidates) {
    // A beginning of the right word is nearer than any typing error.
    const std::size_t distance = candidate.starts_with(word) && word.size() > 2 ? 0 : edit_distance(word, candidate);
    if (distance < best_distance) best = candidate, best_distance = distance;
  }
  return best;
}

std::uint64_t parse_memory_size(const std::string& text, const char* option) {
  const auto bad = [&] {
    return Usage(std::string(option) + " " + text +
                 ": is no memory size; write a number and a unit, as in 500M, 2G or 50% (no unit means K)");
  };
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{}) throw bad();
  const char unit = rest == end ? 'K' : *rest;
  const std::string_view behind_unit(rest, static_cast<std::size_t>(end - rest));
  if (behind_unit.size() > 1 && (behind_unit.substr(1) != "iB" || unit == 'b' || unit == '%')) throw bad();
  if (unit == '%') {
    if (number > 100 || option != std::string_view("-S")) throw bad();
    return physical_memory_bytes() / 100 * number;
  }
  static const std::string kUnits = "bkmgtpe";
  const char small = unit >= 'A' && unit <= 'Z' && unit != 'B' ? static_cast<char>(unit - 'A' + 'a') : unit;
  const std::size_t power = kUnits.find(small);
  if (power == std::string::npos) throw bad();
  if (power > 0 && number > (UINT64_MAX >> (10 * power))) throw bad();
  return number << (10 * power);
}

void parse_bit_range(const std::string& text, std::uint32_t& begin, std::uint32_t& end) {
  const char* at = text.data();
  const char* stop = text.data() + text.size();
  const auto first = std::from_chars(at, stop, begin);
  const bool colon = first.ec == std::errc{} && first.ptr != stop && *first.ptr == ':';
  const auto second = colon ? std::from_chars(first.ptr + 1, stop, end) : first;
  if (!colon || second.ec != std::errc{} || second.ptr != stop || begin > end || end > 64) {
    throw Usage("--bits " + text + ": is no range of bits; write LOW:HIGH, as in 8:16 for bits 8 to 15 (at most 0:64)");
  }
}

lanesort_dtype parse_dtype(const std::string& text) {
  lanesort_dtype dtype = 0;
  if (lanesort_dtype_from_name(text.c_str(), &dtype) != LANESORT_OK)
    throw Usage("--dtype " + text + ": " + lanesort_last_error());
  return dtype;
}

}  // namespace lanesort::cli
