#include "segments.hpp"

#include <cstring>

#include "io/failure.hpp"
#include "status.hpp"

namespace lanesort::cli {
namespace {
bool is_number(const std::string& text) { return !text.empty() && text.find_first_not_of("0123456789") == text.npos; }

// Items of one segment, where all have as many; 0 where a file says it.
std::uint64_t segment_items(const Options& options, const Source& keys) {
  if (has_rows(keys)) return keys.npy->shape.back();
  if (!is_number(options.segments)) return 0;
  const std::uint64_t items = options.segments.size() > 19 ? 0 : std::stoull(options.segments);
  if (items == 0) throw Usage("--segments " + options.segments + ": a segment has between 1 and 10^19 - 1 items");
  return items;
}

std::vector<std::uint64_t> even_offsets(std::uint64_t items, const Source& keys) {
  const std::uint64_t count = *keys.count;
  if (count % items != 0) {
    throw io::Failure(keys.name() + ": " + std::to_string(count) + " keys are no whole number of segments of " +
                      std::to_string(items) + " (" + std::to_string(count % items) +
                      " left over); give a file of offsets for segments of different lengths");
  }
  std::vector<std::uint64_t> offsets(count / items + 1);
  for (std::uint64_t s = 0; s < offsets.size(); ++s) offsets[s] = s * items;
  return offsets;
}

// What the library would say of segments is said here of the file.
void expect_rising(const std::string& name, const std::vector<std::uint64_t>& offsets, std::uint64_t count) {
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const std::uint64_t before = i == 0 ? 0 : offsets[i - 1];
    if (before <= offsets[i] && offsets[i] <= count) continue;
    throw io::Failure(name + ": offset " + std::to_string(i) + " is " + std::to_string(offsets[i]) +
                      (offsets[i] > count ? ", and there are " + std::to_string(count) + " keys"
                                          : ", below the one before it, " + std::to_string(before)) +
                      "; offsets rise from 0 to at most the number of keys");
  }
}

std::vector<std::uint64_t> read_offsets(const Options& options, std::uint64_t count) {
  Options offsets_alone;
  offsets_alone.raw_dtype = LANESORT_U64;
  offsets_alone.threads = options.threads;
  offsets_alone.memory_limit_bytes = options.memory_limit_bytes;
  Source source = open_keys(options.segments, offsets_alone);
  const bool whole = source.dtype == LANESORT_U64 || source.dtype == LANESORT_I64;
  if (!source.is_binary() || !whole || has_rows(source)) {
    throw io::Failure(source.name() + ": offsets are one-dimensional u64 or i64, raw or .npy, one more than segments; or "
                                      "give their common length as a number");
  }
  const io::Buffer data = load(source, offsets_alone, nullptr);
  std::vector<std::uint64_t> offsets(*source.count);
  if (offsets.empty()) throw io::Failure(source.name() + ": holds no offset; n segments have n + 1, and none has one");
  std::memcpy(offsets.data(), data.data(), offsets.size() * sizeof(std::uint64_t));
  expect_rising(source.name(), offsets, count);
  return offsets;
}
}  // namespace

bool has_rows(const Source& keys) { return keys.npy && keys.npy->shape.size() > 1; }

void expect_segments(const Options& options, const Source& keys) {
  if (options.segments.empty()) return;
  if (!keys.is_binary()) {
    throw Usage("--segments counts items of .npy and raw files; " + keys.name() +
                " is a text, which is sorted as a whole");
  }
  if (has_rows(keys))
    throw Usage("--segments: the rows of " + keys.name() + " are its segments already; leave the option out");
  if (options.segments == "-" && options.input == "-")
    throw Usage("standard input cannot hold keys and offsets both");
}

std::uint64_t segment_bytes(const Options& options, const Source& keys) {
  if (options.segments.empty() && !has_rows(keys)) return 0;
  const std::uint64_t items = segment_items(options, keys);
  return items == 0 ? 0 : (keys.count.value_or(0) / items + 1) * sizeof(std::uint64_t);
}

Options with_segments(const Options& options, const Source& keys) {
  Options segmented = options;
  if (has_rows(keys) && *keys.count != 0) {
    segmented.segment_offsets = even_offsets(keys.npy->shape.back(), keys);
    segmented.local_indices = true;  // as NumPy counts along an axis
  } else if (!options.segments.empty()) {
    const std::uint64_t items = segment_items(options, keys);
    segmented.segment_offsets = items == 0 ? read_offsets(options, *keys.count) : even_offsets(items, keys);
  }
  return segmented;
}

}  // namespace lanesort::cli
