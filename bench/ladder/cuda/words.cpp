#include "bench/ladder/cuda/words.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "bench/ladder/crossover.hpp"

namespace lanesort::bench::device {
namespace {

// Of a rung in a row, where it was right; 0 where not.
double median_of(const Row& row, const std::string& name) {
  if (name == "lanesort") return row.verified ? row.timing.median_s : 0;
  for (const Rival& rival : row.rivals)
    if (rival.name == name && rival.verified) return rival.timing.median_s;
  return 0;
}

std::vector<CountSeconds> curve_of(const Climbed& climbed, const std::string& key, bool moved, const std::string& name) {
  std::vector<CountSeconds> curve;
  for (const Row& row : climbed.ladder.report.rows)
    if (row.op == "sort" && row.key == key && (row.form != "in_place") == moved)
      if (const double median = median_of(row, name); median > 0) curve.push_back({row.count, median});
  return curve;
}

std::vector<std::string> keys_of(const Climbed& climbed) {
  std::vector<std::string> keys;
  for (const Row& row : climbed.ladder.report.rows)
    if (std::find(keys.begin(), keys.end(), row.key) == keys.end()) keys.push_back(row.key);
  return keys;
}

std::string compared(const Climbed& climbed, const std::string& what, const std::string& key, u64 count,
                     const std::vector<std::string>& names) {
  for (const Row& row : climbed.ladder.report.rows) {
    if (row.op != "sort" || row.key != key || row.count != count || row.form != "in_place") continue;
    std::string line = what + " (" + key + ", " + count_words(count) + " keys):";
    for (const std::string& name : names) {
      const double median = median_of(row, name);
      line += (name == names.front() ? " " : "; ") + name + " " + (median > 0 ? duration_words(median) : "not measured");
      const double first = median_of(row, names.front());
      if (name != names.front() && median > 0 && first > 0) line += " (" + ratio_words(first / median) + ")";
    }
    return line;
  }
  return {};
}

}  // namespace

std::vector<std::string> variant_lines(const Climbed& climbed) {
  std::vector<std::string> lines;
  for (const Variant& variant : climbed.variants) {
    const Row& row = climbed.ladder.report.rows.at(variant.row);
    const double median = median_of(row, variant.name);
    std::string line = row.key + ", " + count_words(row.count) + " keys, " + variant.name + ": " + duration_words(median) +
                       ", moves " + significant(variant.bytes_per_key, 3) + " bytes a key";
    if (variant.counters != 0)
      line += ", of which " + duration_words(variant.scans_s) + " for the sums of " + std::to_string(variant.counters) + " counts a pass";
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> crossover_lines(const Climbed& climbed) {
  std::vector<std::string> lines;
  for (const std::string& key : keys_of(climbed)) {
    for (const DeviceRung& rung : device_rungs()) {
      if (!rung.variant_of.empty()) continue;
      std::string line = key + ", " + rung.words.name + " is faster";
      for (const bool moved : {false, true}) {
        line += moved ? "; with transfers" : "";
        for (const char* const yardstick : {"std::sort", kHostLanesort}) {
          const auto mine = curve_of(climbed, key, moved, rung.words.name), other = curve_of(climbed, key, moved, yardstick);
          line += std::string(yardstick == kHostLanesort ? ", than " : " than ") + yardstick + " " + crossover_words(crossover(mine, other));
        }
      }
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

std::vector<std::string> comparison_lines(const Climbed& climbed) {
  std::vector<std::string> lines{
      compared(climbed, "A bitonic network beside radix sorts", "u32", 10'000'000,
               {"bitonic", "bitonic, shared memory", "cub::DeviceRadixSort", "lanesort"}),
      compared(climbed, "One thread a merge beside merges that all threads share", "u8", u64{1} << 24,
               {"merge, a thread a merge", "merge path", "lanesort/merge.cuh", "cub::DeviceMergeSort", "lanesort"}),
      compared(climbed, "Two bits a round beside our engine", "u32", u64{1} << 18, {"chunks, 2 bits a round", "lanesort"}),
      compared(climbed, "Recursion on the host beside the CPU", "u8", u64{1} << 16,
               {"merge, host recursion", "merge, top down", "std::sort", kHostLanesort})};
  std::erase(lines, "");
  for (const Row& row : climbed.ladder.report.rows) {
    if (row.op != "sort" || row.form != "in_place" || !row.verified) continue;
    for (const RungText& rung : climbed.ladder.report.rungs)
      if (const double median = median_of(row, rung.name); median > 0 && median < row.timing.median_s)
        lines.push_back(row.key + ", " + count_words(row.count) + " keys: " + rung.name + " is faster than lanesort on CUDA, " +
                        duration_words(median) + " against " + duration_words(row.timing.median_s));
  }
  return lines;
}

std::vector<std::string> left_out_lines(const Climbed& climbed) {
  std::map<std::pair<std::string, std::string>, std::pair<std::string, std::string>> sizes_and_why;
  for (const LeftOut& left : climbed.ladder.left_out) {
    const Row& row = climbed.ladder.report.rows.at(left.row);
    auto& [sizes, why] = sizes_and_why[{row.key, left.rung}];
    sizes += (sizes.empty() ? "" : ", ") + count_words(row.count);
    if (why.empty()) why = left.why;
  }
  std::vector<std::string> lines;
  for (const auto& [which, told] : sizes_and_why)
    lines.push_back(which.first + ": no " + which.second + " at " + told.first + " keys: " + told.second);
  return lines;
}

}  // namespace lanesort::bench::device
