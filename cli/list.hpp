// Numbers written one a line, or as a JSON array.
#pragma once
#include <cstdint>
#include <string>

#include "io/output.hpp"

namespace lanesort::cli {

// text_of(i) is how number i is spelled.
template <class TextOf>
void write_list(io::Output& output, std::uint64_t count, bool json, io::Meter* meter, const TextOf& text_of) {
  constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
  std::string block(json ? "[" : "");
  for (std::uint64_t i = 0; i < count; ++i) {
    if (json && i != 0) block += ", ";
    block += text_of(i);
    if (!json) block += '\n';
    if (block.size() >= kBlockBytes) {
      output.write(block, meter);
      block.clear();
    }
  }
  if (json) block += "]\n";
  output.write(block, meter);
}

}  // namespace lanesort::cli
