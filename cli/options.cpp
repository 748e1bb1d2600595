// Texts with a grammar of their own. No CLI11 in here: it is fuzzed.
#include "options.hpp"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "bench/nearest.hpp"
#include "status.hpp"

namespace lanesort::cli {
namespace {
std::uint64_t physical_memory_bytes() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}
}  // namespace

bool Options::coloured(std::FILE* to) const {
  if (colour != Colour::automatic) return colour == Colour::always;
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return isatty(fileno(to)) && (no_colour == nullptr || *no_colour == '\0') &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

std::vector<std::string> device_names() { return {"auto", "cpu", "cuda", "cuda+cpu", "webgpu"}; }

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
    throw Usage("--dtype " + text + ": " + lanesort_last_error() + bench::suggestion(text, bench::dtype_names()));
  return dtype;
}

}  // namespace lanesort::cli
