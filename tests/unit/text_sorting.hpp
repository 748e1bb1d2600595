// A whole text sorted in memory by the io room, with std::stable_sort where the command line uses lanesort.
#pragma once
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "io/text.hpp"

namespace lanesort::io {

struct SortedText {
  std::string output;
  std::string error;  // empty if all went well
  std::uint64_t error_line = 0;
  std::uint64_t error_column = 0;
  std::uint64_t count = 0;
  KeyForm form = KeyForm::exact;
};

struct Sorting {
  TextFormat format = TextFormat::lines;
  NumberRule rule;
  unsigned threads = 1;
  std::uint64_t chunk_bytes = 0;
};

// The text lies in a block of its very size, so that a sanitizer sees a look past its end.
class TightText {
 public:
  explicit TightText(std::string_view text) : size_(text.size()), bytes_(new char[text.size()]) {
    std::copy(text.begin(), text.end(), bytes_.get());
  }
  std::span<const char> span() const { return {bytes_.get(), size_}; }

 private:
  std::size_t size_;
  std::unique_ptr<char[]> bytes_;
};

inline void stable_sort_pairs(std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& items, bool descending) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs;
  for (std::size_t i = 0; i < keys.size(); ++i) pairs.emplace_back(keys[i], items[i]);
  std::stable_sort(pairs.begin(), pairs.end(),
                   [&](const auto& a, const auto& b) { return descending ? a.first > b.first : a.first < b.first; });
  for (std::size_t i = 0; i < keys.size(); ++i) std::tie(keys[i], items[i]) = pairs[i];
}

inline SortedText sort_text(std::string_view input, const Sorting& sorting) {
  const TightText text(input);
  const NumberText job{text.span(), sorting.format, sorting.rule, sorting.threads, sorting.chunk_bytes};
  SortedText sorted;
  const auto refuse = [&](const TextFlaw& flaw) {
    sorted.error = flaw.message;
    sorted.error_line = flaw.line;
    sorted.error_column = flaw.column;
    return sorted;
  };
  const auto layout = count_numbers(job);
  if (!layout) return refuse(*layout.flaw);
  sorted.count = layout.value.count;
  std::vector<std::uint64_t> keys(sorted.count);
  std::vector<std::uint64_t> refs(sorted.count);
  const auto form = read_numbers(job, layout.value, keys, refs);
  if (!form) return refuse(*form.flaw);
  sorted.form = form.value;
  stable_sort_pairs(keys, refs, sorting.rule.order == LANESORT_DESCENDING);
  resolve_ties(job, form.value, keys, refs);
  const bool written = write_numbers(job, refs, [&](std::span<const char> bytes) {
    sorted.output.append(bytes.data(), bytes.size());
    return true;
  });
  if (!written) sorted.error = "the sink said no, which it does not";
  return sorted;
}

}  // namespace lanesort::io
