// What must hold of any bytes that are read as numbers. The first byte picks the rule, the rest is the text.
#pragma once
#include <cstdlib>
#include <iostream>

#include "../unit/text_sorting.hpp"

namespace lanesort::io {

inline void require(bool holds, const char* words, std::string_view text) {
  if (holds) return;
  std::cerr << words << " for the text\n" << text << "\n";
  std::abort();
}

inline bool in_order(std::string_view output, const Sorting& sorting) {
  const TightText text(output);
  const NumberText job{text.span(), sorting.format, sorting.rule, 1, 0};
  const auto layout = count_numbers(job);
  std::vector<std::uint64_t> keys(layout.value.count);
  std::vector<std::uint64_t> refs(layout.value.count);
  const auto form = read_numbers(job, layout.value, keys, refs);
  return layout && form && first_unsorted(job, form.value, keys, refs) == layout.value.count &&
         first_misplaced(job, refs) == layout.value.count;
}

inline void check_text(const std::uint8_t* data, std::size_t size, TextFormat format) {
  if (size == 0) return;
  Sorting sorting;
  sorting.format = format;
  sorting.rule.dtype = (data[0] & 15) % 14;
  sorting.rule.order = data[0] >> 4 & 1;
  sorting.rule.float_order = (data[0] >> 5 & 3) % 3;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const SortedText whole = sort_text(text, sorting);

  Sorting in_pieces = sorting;
  in_pieces.chunk_bytes = 1 + data[0] % 7;
  const SortedText pieces = sort_text(text, in_pieces);
  require(pieces.output == whole.output, "chunks change the output", text);
  require(pieces.error.empty() == whole.error.empty(), "chunks change the verdict", text);
  require(pieces.error_line == whole.error_line && pieces.error_column == whole.error_column, "chunks move the flaw",
          text);
  if (!whole.error.empty()) return require(whole.output.empty(), "a flaw, and an output all the same", text);

  const SortedText again = sort_text(whole.output, sorting);
  require(again.error.empty() && again.output == whole.output, "sorting twice changes the output", text);
  require(again.count == whole.count, "numbers were lost or made", text);
  require(in_order(whole.output, sorting), "the output is not in order", text);
}

}  // namespace lanesort::io
