// Numbers as people read them, the same bytes in every locale.
#pragma once
#include <cstdint>
#include <string>

namespace lanesort::bench {

std::string decimal(double value, int places);      // "12.5"; trailing zeros go
std::string significant(double value, int digits);  // "0.0123", "12.3", "1230"
std::string duration_words(double seconds);         // "1.23 ms"
std::string rate_words(double keys_per_s);          // "1.23 G/s"
std::string bandwidth_words(double bytes_per_s);    // "28.4 GB/s"
std::string bytes_words(double bytes);              // "1.2 MB"
std::string count_words(std::uint64_t count);       // "2²⁴", "10⁷", "3·10⁶", "1,234,567"
std::string percent_words(double share);            // "4.5 %"
std::string ratio_words(double ratio);              // "1.23x"
std::string superscript(std::uint64_t number);

}  // namespace lanesort::bench
