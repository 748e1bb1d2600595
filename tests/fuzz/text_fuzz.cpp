// Any bytes as a text with one number a line.
#include <cstddef>
#include <cstdint>

#include "text_property.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  lanesort::io::check_text(data, size, lanesort::io::TextFormat::lines);
  return 0;
}
