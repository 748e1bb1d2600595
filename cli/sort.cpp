#include <algorithm>
#include <bit>
#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "device.hpp"
#include "engine.hpp"
#include "io/failure.hpp"
#include "report.hpp"
#include "segments.hpp"
#include "status.hpp"
#include "target.hpp"
#include "unique.hpp"

namespace lanesort::cli {
namespace {
constexpr std::uint64_t kBlockBytes = std::uint64_t{8} << 20;
std::uint64_t block_items(std::uint64_t width) { return std::max<std::uint64_t>(1, kBlockBytes / width); }

// a.npy becomes a.sorted.npy, beside it.
std::string sorted_name(const std::string& path) {
  const auto slash = path.rfind('/');
  const auto dot = path.rfind('.');
  if (dot == std::string::npos || dot == 0 || (slash != std::string::npos && dot <= slash + 1)) return path + ".sorted";
  return path.substr(0, dot) + ".sorted" + path.substr(dot);
}

// A file that moves with the keys.
struct Companion {
  Source source;
  std::unique_ptr<io::Output> output;
  io::Buffer data;
  std::string path_out;

  bool is_loaded() const { return source.item_bytes != 0; }
};

std::vector<Companion> open_companions(const Options& options) {
  std::vector<Companion> companions;
  for (std::size_t i = 0; i < options.values.size(); ++i) {
    const std::string& path = options.values[i];
    if (path == "-" && (options.input == "-" || options.values_out.empty())) {
      throw Usage(options.input == "-" ? "standard input cannot hold keys and values both"
                                       : "values from standard input need --values-out");
    }
    const std::string out = options.values_out.empty() ? sorted_name(path) : options.values_out[i];
    if (out == "-" && options.output == "-")
      throw Usage("standard output cannot take keys and values both; give -o FILE");
    companions.push_back({open_values(path, options), nullptr, {}, out});
  }
  return companions;
}

// A result may replace the file that it comes from, and no other input.
void expect_inputs_kept(const Options& options, const std::vector<std::filesystem::path>& places) {
  const auto is_input = [&](const std::filesystem::path& place, std::size_t i) {
    const std::string& input = i == 0 ? options.input : options.values[i - 1];
    std::error_code none;
    return input != "-" && std::filesystem::is_regular_file(input, none) &&
           std::filesystem::canonical(input, none) == place;
  };
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t j = 0; j < places.size() && !is_input(places[i], i); ++j) {
      if (is_input(places[i], j))
        throw Usage(io::printable(places[i].string()) + ": is an input, and another file's result would replace it; "
                    "give that result a name of its own");
    }
  }
}

// Of two results under one name the second would replace the first.
void expect_distinct_outputs(const Options& options, const std::vector<Companion>& companions) {
  std::vector<std::filesystem::path> places;
  const auto add = [&places](const std::string& path) {
    std::error_code none;
    const auto place = std::filesystem::weakly_canonical(std::filesystem::absolute(path, none), none);
    const bool device = path == "-" || std::filesystem::is_character_file(path, none);
    if (!device && std::find(places.begin(), places.end(), place) != places.end())
      throw Usage(path + ": two results would go there; give each its own name");
    places.push_back(place);
  };
  add(options.output);
  for (const Companion& companion : companions) add(companion.path_out);
  expect_inputs_kept(options, places);
}

std::uint64_t width_of(const Companion& companion, std::uint64_t count) {
  return count == 0 ? 1 : std::max<std::uint64_t>(1, companion.source.data_bytes.value_or(0) / count);
}

// One array of a width that the library moves itself goes with the keys; anything else goes by indices.
bool moves_with_keys(const std::vector<Companion>& companions, std::uint64_t count) {
  if (companions.size() != 1) return false;
  const std::uint64_t width = width_of(companions[0], count);
  return width <= 16 && std::has_single_bit(width);
}

// What load() would find out only after the keys were sorted.
void expect_one_each(const std::vector<Companion>& companions, std::uint64_t count) {
  for (const Companion& companion : companions)
    if (companion.source.data_bytes) expect_one_each(companion.source, *companion.source.data_bytes, count);
}

// Bytes of memory that the sort will hold at its peak, from what is known before anything is read.
std::uint64_t needed_bytes(const Options& options, const Source& keys, const std::vector<Companion>& companions) {
  const std::uint64_t count = keys.count.value_or(0);
  const std::uint64_t key_bytes = keys.data_bytes.value_or(0) + segment_bytes(options, keys);
  lanesort_sort_desc desc = describe(options, keys.dtype, count);
  if (companions.empty()) return key_bytes + scratch_bytes(LANESORT_OP_SORT, desc);
  if (moves_with_keys(companions, count)) {
    desc.value_bytes = static_cast<std::uint32_t>(width_of(companions[0], count));
    return key_bytes + companions[0].source.data_bytes.value_or(0) + scratch_bytes(LANESORT_OP_SORT_PAIRS, desc);
  }
  desc.value_bytes = index_bytes_for(options, count);
  const std::uint64_t index_bytes = count * desc.value_bytes;
  std::uint64_t loaded = 0, largest = 0;  // while the keys are sorted, and while an array is written
  for (const Companion& companion : companions) {
    if (companion.is_loaded()) loaded += companion.data.size();
    largest = std::max(largest, companion.source.data_bytes.value_or(0) +
                                    block_items(width_of(companion, count)) * width_of(companion, count));
  }
  return std::max(loaded + key_bytes + index_bytes + scratch_bytes(LANESORT_OP_SORT_PAIRS, desc),
                  index_bytes + largest);
}

void describe_plan(Report& report, const Options& options, const Source& keys, std::uint64_t memory_bytes) {
  report.add("input", keys.name());
  report.add("output", options.output == "-" ? std::string("standard output") : options.output);
  report.add("format", std::string(keys.npy ? "npy" : "raw"));
  report.add("dtype", std::string(lanesort_dtype_name(keys.dtype)));
  if (keys.count) report.add("count", *keys.count);
  report.add("order", std::string(options.order == LANESORT_DESCENDING ? "desc" : "asc"));
  report.add("device", device_words(options));
  report.add("isa", std::string(cpu_capabilities().isa));
  report.add("threads", std::uint64_t{thread_count(options)});
  if (keys.count) report.add("memory_bytes", memory_bytes);
}

void load_values(Companion& companion, const Options& options, std::uint64_t count, Report& report) {
  if (companion.is_loaded()) return;
  io::Meter* meter = report.begin("read", companion.source.data_bytes.value_or(0));
  companion.data = load(companion.source, options, meter, count);
}

// Writes an array in the order of the indices, a block at a time.
void store_gathered(Companion& companion, const Options& options, const io::Buffer& indices,
                    std::uint32_t index_bytes, std::uint64_t count, io::Meter* meter) {
  const std::uint32_t width = companion.source.item_bytes;
  const io::Buffer block(std::min(count, block_items(width)) * width);
  store_header(*companion.output, companion.source);
  for (std::uint64_t first = 0; first < count; first += block_items(width)) {
    const std::uint64_t items = std::min(count - first, block_items(width));
    const auto part = block.bytes().first(static_cast<std::size_t>(items * width));
    gather(options, companion.data, width, {indices.data() + first * index_bytes, index_bytes}, part);
    companion.output->write(std::span<const std::byte>(part), meter);
  }
}

// With -u.
void drop_repetitions(const Options& options, Source& keys, io::Buffer& data, io::Buffer& items, std::uint32_t item_bytes,
                      Report& report) {
  if (!options.unique) return;
  shorten(keys, keep_firsts(options, keys.dtype, data, items, item_bytes));
  report.add("kept", *keys.count);
}

// Arrays by one order. The keys are gone before the first array is read, and each array before the next.
void sort_by_indices(const Options& options, Source& keys, io::Buffer& data, io::Output& output,
                     std::vector<Companion>& companions, Report& report) {
  const std::uint64_t count = *keys.count;
  const std::uint32_t index_bytes = index_bytes_for(options, count);
  report.begin("sort", data.size());
  io::Buffer indices = sort_and_index(options, keys.dtype, count, data, index_bytes);
  drop_repetitions(options, keys, data, indices, index_bytes, report);
  store(output, keys, options, data, report.begin("write", data.size()));
  data = io::Buffer();
  for (Companion& companion : companions) {
    load_values(companion, options, count, report);
    if (options.unique) shorten(companion.source, *keys.count);
    store_gathered(companion, options, indices, index_bytes, *keys.count, report.begin("write", companion.data.size()));
    companion.data = io::Buffer();
  }
}

void sort_with_keys(const Options& options, Source& keys, io::Buffer& data, io::Output& output, Companion& only,
                    Report& report) {
  load_values(only, options, *keys.count, report);
  report.begin("sort", data.size() + only.data.size());
  sort_pairs(options, keys.dtype, *keys.count, data, only.data, only.source.item_bytes);
  drop_repetitions(options, keys, data, only.data, only.source.item_bytes, report);
  if (options.unique) shorten(only.source, *keys.count);
  store(*only.output, only.source, options, only.data, report.begin("write", only.data.size()));
  store(output, keys, options, data, report.begin("write", data.size()));
}
}  // namespace

int sort_command(const Options& as_asked) {
  Options options = as_asked;
  require_device(options);
  Report report(options, "sort");
  report.begin("read", 0);  // a pipe may make us wait right here
  Source keys = open_keys(options.input, options);
  expect_segments(options, keys);
  expect_unique(options, keys);
  if (!keys.is_binary()) return sort_text(options, keys, report);
  std::vector<Companion> companions = open_companions(options);
  expect_distinct_outputs(options, companions);
  expect_writable(keys, options.output);

  const std::uint64_t memory_bytes = needed_bytes(options, keys, companions);
  describe_plan(report, options, keys, memory_bytes);
  expect_memory(options, memory_bytes);
  const bool counted = keys.count.has_value();
  if (counted) expect_one_each(companions, *keys.count);
  if (options.dry_run) return report.print_result(), kGood;

  const auto known = [&](const Source& source, const std::string& path) {
    return source.data_bytes && !options.unique ? std::optional(output_bytes(source, path)) : std::nullopt;
  };
  const bool binary = is_binary(output_format(options.output, keys.format));
  io::Output output(options.output, binary ? known(keys, options.output) : std::nullopt, binary);
  for (Companion& c : companions)
    c.output = std::make_unique<io::Output>(c.path_out, known(c.source, c.path_out), true);

  io::Buffer data = load(keys, options, report.begin("read", keys.data_bytes.value_or(0)));
  if (!counted) {
    report.add("count", *keys.count);
    expect_one_each(companions, *keys.count);
  }
  if (companions.size() == 1 && !companions[0].source.data_bytes)  // only its bytes tell its width
    load_values(companions[0], options, *keys.count, report);
  expect_memory(options, needed_bytes(options, keys, companions));
  options = with_segments(options, keys);
  if (companions.empty()) {
    report.begin("sort", data.size());
    sort_keys(options, keys.dtype, *keys.count, data);
    io::Buffer none;
    drop_repetitions(options, keys, data, none, 0, report);
    store(output, keys, options, data, report.begin("write", data.size()));
  } else if (moves_with_keys(companions, *keys.count)) {
    sort_with_keys(options, keys, data, output, companions[0], report);
  } else {
    sort_by_indices(options, keys, data, output, companions, report);
  }
  for (Companion& companion : companions) {
    companion.output->commit();
    if (options.values_out.empty())
      report.note("the values of " + companion.source.name() + " are in " + companion.path_out);
  }
  output.commit();
  report.finish();
  return kGood;
}

}  // namespace lanesort::cli
