// The commands on numbers written out, one a line or as a JSON array. Keys are made from the spellings, sorted as
// u64, and the spellings written in their order.
#include "io/text.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>

#include "commands.hpp"
#include "engine.hpp"
#include "io/failure.hpp"
#include "io/json.hpp"
#include "report.hpp"
#include "status.hpp"
#include "target.hpp"
#include "topk.hpp"

namespace lanesort::cli {
namespace {
// Key and reference, and the sort's other buffer for both; with -u a copy of the keys takes that buffer's place.
constexpr std::uint64_t kBytesANumber = 32;

std::span<std::uint64_t> words(const io::Buffer& buffer) {
  return {reinterpret_cast<std::uint64_t*>(buffer.data()),
          static_cast<std::size_t>(buffer.size() / sizeof(std::uint64_t))};
}

// A text in memory, its numbers as keys and references.
struct Numbers {
  io::Buffer text;
  io::NumberText job;
  io::KeyForm form = io::KeyForm::exact;
  std::uint64_t count = 0;
  io::Buffer keys, refs;
};

void expect_good(const std::string& name, const std::optional<io::TextFlaw>& flaw) {
  if (flaw) throw io::Failure(name + ": " + flaw->message);
}

void refuse_what_texts_lack(const Options& options) {
  if (!options.whole_key() && !options.dtype)
    throw Usage("--bits picks bits of keys of a fixed width; numbers in a text have none without --dtype");
  if (options.dtype) expect_bits(options, *options.dtype);
  if (!options.dtype && options.float_order == LANESORT_FLOAT_BITS) {
    throw Usage(
        "--nan bits orders by bit pattern, which numbers in a text do not have; add --dtype f64 or f32, or leave it "
        "out");
  }
}

// Keys of nothing but the bits that order.
void keep_bits(const Options& options, std::span<std::uint64_t> keys) {
  const std::uint32_t width = options.bit_end - options.bit_begin;
  const std::uint64_t mask = width == 0 ? 0 : ~std::uint64_t{0} >> (64 - width);
  for (std::uint64_t& key : keys) key = width == 0 ? 0 : key >> options.bit_begin & mask;
}

void describe_text(Report& report, const Options& options, const Source& source) {
  report.add("input", source.name());
  if (options.command == Command::sort || options.command == Command::argsort || options.command == Command::merge ||
      options.command == Command::topk)
    report.add("output", options.output == "-" ? std::string("standard output") : options.output);
  report.add("format", std::string(source.format == Format::json ? "json" : "text"));
  report.add("dtype", std::string(options.dtype ? lanesort_dtype_name(*options.dtype) : "exact"));
  report.add("order", std::string(options.order == LANESORT_DESCENDING ? "desc" : "asc"));
  report.add("device", std::string("cpu"));
  report.add("threads", std::uint64_t{thread_count(options)});
}

Numbers parse(const Options& options, const std::string& name, io::Buffer text, io::TextFormat format) {
  Numbers numbers;
  numbers.text = std::move(text);
  numbers.job.text = std::span(numbers.text.text());
  numbers.job.format = format;
  numbers.job.rule = {options.dtype.value_or(io::kExactNumbers), options.order, options.float_order};
  numbers.job.threads = thread_count(options);
  const auto layout = io::count_numbers(numbers.job);
  expect_good(name, layout.flaw);
  numbers.count = layout.value.count;
  expect_memory(options, numbers.text.size() + numbers.count * kBytesANumber);
  numbers.keys.resize(numbers.count * sizeof(std::uint64_t));
  numbers.refs.resize(numbers.count * sizeof(std::uint64_t));
  const auto form = io::read_numbers(numbers.job, layout.value, words(numbers.keys), words(numbers.refs));
  expect_good(name, form.flaw);
  numbers.form = form.value;
  if (!options.whole_key()) keep_bits(options, words(numbers.keys));
  return numbers;
}

Numbers read_text(const Options& options, Source& source, Report& report) {
  refuse_what_texts_lack(options);
  const std::uint64_t text_bytes = source.input.remaining_bytes().value_or(0);
  expect_memory(options, text_bytes);
  io::Buffer text = source.input.read_rest(options.memory_limit_bytes, report.begin("read", text_bytes));
  report.begin("parse", text.size());
  return parse(options, source.name(), std::move(text),
               source.format == Format::json ? io::TextFormat::json : io::TextFormat::lines);
}

Numbers read_numbers(const Options& options, Source& source, Report& report) {
  Numbers numbers = read_text(options, source, report);
  describe_text(report, options, source);
  report.add("count", numbers.count);
  return numbers;
}

bool plan_only(const Options& options, const Source& source, Report& report) {
  if (!options.dry_run) return false;
  refuse_what_texts_lack(options);
  describe_text(report, options, source);
  if (const auto bytes = source.input.remaining_bytes()) {
    expect_memory(options, *bytes);
    report.add("input_bytes", *bytes);
    report.add("memory_bytes_at_most", *bytes + (*bytes / 2 + 1) * kBytesANumber);  // a line takes two bytes at least
  }
  report.print_result();
  return true;
}

// As the library sees them: u64 in the direction asked for. What NaN is was settled when the keys were made.
Options key_options(const Options& options) {
  Options plain = options;
  plain.float_order = LANESORT_FLOAT_NUMERIC;
  plain.bit_begin = 0;
  plain.bit_end = LANESORT_ALL_BITS;
  return plain;
}

void expect_writable_text(const Options& options, const std::string& name, Format format) {
  if (!is_binary(format)) return;
  if (!options.dtype)
    throw Usage(io::printable(options.output) + ": items of one dtype go there, and the numbers of " + name +
                " are of any size; add --dtype, as in --dtype f64, or name the output .txt or .json");
  expect_named_for(options.output, *options.dtype, "the numbers of " + name);
  if (format == Format::npy) npy_descr(*options.dtype);
}

// JSON spells numbers more strictly than a text may.
void expect_json_spellings(const std::string& path, const Numbers& numbers) {
  for (const std::uint64_t ref : words(numbers.refs)) {
    const std::string_view number = io::number_at(numbers.job, ref);
    if (io::json_number_length(number) != number.size())
      throw io::Failure(io::printable(path) + ": JSON has no number spelled " + io::quoted(number) + "; name it .txt");
  }
}

// The numbers as items of the dtype that they were read into.
void write_items(io::Output& output, const Options& options, const Numbers& numbers, Format format, io::Meter* meter) {
  constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
  const std::uint32_t width = lanesort_dtype_bytes(*options.dtype);
  if (format == Format::npy) output.write(io::make_npy_header(npy_descr(*options.dtype), numbers.count));
  std::string block;
  for (const std::uint64_t ref : words(numbers.refs)) {
    const std::uint64_t bits = io::number_bits(io::number_at(numbers.job, ref), *options.dtype);
    for (std::uint32_t i = 0; i < width; ++i) block += static_cast<char>(bits >> 8 * i);
    if (block.size() < kBlockBytes) continue;
    output.write(block, meter);
    block.clear();
  }
  output.write(block, meter);
}

// Hands bytes to an output from whatever thread; what goes wrong there is thrown here.
class Sink {
 public:
  Sink(io::Output& output, io::Meter* meter) : output_(output), meter_(meter) {}

  bool put(std::span<const char> bytes) noexcept {
    try {
      output_.write(std::as_bytes(bytes), meter_);
      return true;
    } catch (...) {
      trouble_ = std::current_exception();
      return false;
    }
  }

  void rethrow() const {
    if (trouble_) std::rethrow_exception(trouble_);
  }

 private:
  io::Output& output_;
  io::Meter* meter_;
  std::exception_ptr trouble_;
};

void write_spellings(io::Output& output, Numbers& numbers, Format format, io::Meter* meter) {
  if (format == Format::json && numbers.job.format != io::TextFormat::json)
    expect_json_spellings(output.name(), numbers);
  numbers.job.format = format == Format::json ? io::TextFormat::json : io::TextFormat::lines;
  Sink sink(output, meter);
  io::write_numbers(numbers.job, words(numbers.refs), [&sink](std::span<const char> bytes) { return sink.put(bytes); });
  sink.rethrow();
}

// The indices of an argsort, and how many bytes each has.
struct Indices {
  io::Buffer buffer;
  std::uint32_t width = 8;

  std::uint64_t operator[](std::uint64_t i) const {
    if (width == 8) return words(buffer)[i];
    std::uint32_t index;
    std::memcpy(&index, buffer.data() + i * 4, 4);
    return index;
  }

  void set(std::uint64_t i, std::uint64_t index) const {
    if (width == 8) words(buffer)[i] = index;
    const auto narrow = static_cast<std::uint32_t>(index);
    if (width == 4) std::memcpy(buffer.data() + i * 4, &narrow, 4);
  }
};

// Leaves the references in the order of their numbers, and no keys.
void put_in_order(const Options& options, Numbers& numbers) {
  sort_pairs(key_options(options), LANESORT_U64, numbers.count, numbers.keys, numbers.refs, sizeof(std::uint64_t));
  io::resolve_ties(numbers.job, numbers.form, words(numbers.keys), words(numbers.refs));
  numbers.keys = io::Buffer();
}

// The same with the first of equal numbers alone, as -u asks.
void put_firsts_in_order(const Options& options, Numbers& numbers) {
  sort_pairs(key_options(options), LANESORT_U64, numbers.count, numbers.keys, numbers.refs, sizeof(std::uint64_t));
  io::Buffer sorted_keys(numbers.keys.size());  // a run of equal keys has one of them at every place, whatever its order
  std::ranges::copy(words(numbers.keys), words(sorted_keys).begin());
  io::resolve_ties(numbers.job, numbers.form, words(numbers.keys), words(numbers.refs));
  const auto keys = words(sorted_keys), refs = words(numbers.refs);
  std::uint64_t kept = 0;
  for (std::uint64_t i = 0; i < numbers.count; ++i) {
    if (kept != 0 && keys[i] == keys[kept - 1]) {
      // Equal, unless the one before must stand first.
      const std::uint64_t key_pair[2] = {keys[i], keys[i]}, turned[2] = {refs[i], refs[kept - 1]};
      if (io::first_unsorted(numbers.job, numbers.form, key_pair, turned) == 2) continue;
    }
    keys[kept] = keys[i];
    refs[kept++] = refs[i];
  }
  numbers.count = kept;
  numbers.refs.resize(kept * sizeof(std::uint64_t));
  numbers.keys = io::Buffer();
}

// Of number i, as much as a message takes.
std::string spelling(const Numbers& numbers, std::uint64_t i) {
  return std::string(io::number_at(numbers.job, words(numbers.refs)[i]).substr(0, 1000));
}

bool has_open_ties(const Numbers& numbers) {
  if (numbers.form == io::KeyForm::exact) return false;
  for (const std::uint64_t key : words(numbers.keys))
    if (io::key_is_inexact(key)) return true;
  return false;
}

Indices find_order(const Options& options, Numbers& numbers) {
  const std::uint32_t width = index_bytes_for(options, numbers.count);
  if (!has_open_ties(numbers)) {  // the keys say it all: the text may go
    numbers.refs = io::Buffer();
    numbers.text = io::Buffer();
    return {sort_and_index(key_options(options), LANESORT_U64, numbers.count, numbers.keys, width), width};
  }
  put_in_order(options, numbers);
  numbers.text = io::Buffer();
  // Back in the order of the text the references tell the rank of each number; the indices are what the ranks invert.
  Options by_place;
  by_place.threads = options.threads;
  by_place.bit_end = io::kOffsetBits;
  const Indices ranks{sort_and_index(by_place, LANESORT_U64, numbers.count, numbers.refs, width), width};
  numbers.refs = io::Buffer();
  Indices indices{io::Buffer(numbers.count * width), width};
  for (std::uint64_t i = 0; i < numbers.count; ++i) indices.set(ranks[i], i);
  return indices;
}

}  // namespace

int sort_text(const Options& options, Source& source, Report& report) {
  if (!options.values.empty())
    throw Usage("--values moves with .npy and raw keys; for a text, argsort it and take the values by its indices");
  const Format format = output_format(options.output, source.format);
  expect_writable_text(options, source.name(), format);
  if (plan_only(options, source, report)) return kGood;
  const bool binary = is_binary(format);
  io::Output output(options.output, binary ? std::nullopt : source.input.remaining_bytes(), binary);
  Numbers numbers = read_numbers(options, source, report);
  report.begin("sort", numbers.keys.size() + numbers.refs.size());
  if (options.unique) {
    put_firsts_in_order(options, numbers);
    report.add("kept", numbers.count);
  } else {
    put_in_order(options, numbers);
  }
  if (binary) {
    write_items(output, options, numbers, format, report.begin("write", 0));
  } else {
    write_spellings(output, numbers, format, report.begin("write", numbers.text.size()));
  }
  output.commit();
  report.finish();
  return kGood;
}

int argsort_text(const Options& options, Source& source, Report& report) {
  if (plan_only(options, source, report)) return kGood;
  const Format format = output_format(options.output, source.format);
  io::Output output(options.output, std::nullopt, is_binary(format));
  Numbers numbers = read_numbers(options, source, report);
  report.begin("sort", numbers.keys.size());
  const Indices indices = find_order(options, numbers);
  write_indices(output, format, indices.buffer, indices.width, report.begin("write", 0));
  output.commit();
  report.finish();
  return kGood;
}

int check_text(const Options& options, Source& source, Report& report) {
  if (plan_only(options, source, report)) return kGood;
  const Numbers numbers = read_numbers(options, source, report);
  const std::uint64_t offender =
      io::first_unsorted(numbers.job, numbers.form, words(numbers.keys), words(numbers.refs));
  const bool sorted = offender == numbers.count;
  report.add("sorted", sorted);
  if (!sorted) report.add("first_offender", offender);
  report.finish();
  if (sorted) return kGood;
  if (!options.silent_check) {
    std::fprintf(stderr, "lanesort: %s:%llu: disorder: %s\n", source.name().c_str(),
                 static_cast<unsigned long long>(offender + 1), spelling(numbers, offender).c_str());
  }
  return kSaysNo;
}

namespace {
// The numbers of all inputs, one a line, each input behind the one before.
io::Buffer join_sorted(const Options& options, std::vector<Source>& sources, Report& report) {
  io::Buffer joined;
  for (Source& source : sources) {
    const Numbers numbers = read_text(options, source, report);
    const std::uint64_t offender =
        io::first_unsorted(numbers.job, numbers.form, words(numbers.keys), words(numbers.refs));
    if (offender != numbers.count) refuse_unsorted(source.name(), offender, spelling(numbers, offender));
    io::NumberText lines = numbers.job;
    lines.format = io::TextFormat::lines;
    io::write_numbers(lines, words(numbers.refs), [&](std::span<const char> bytes) {
      const std::uint64_t before = joined.size();
      joined.resize(before + bytes.size());
      std::memcpy(joined.data() + before, bytes.data(), bytes.size());
      return true;
    });
    expect_memory(options, joined.size() + numbers.text.size());
  }
  return joined;
}
}  // namespace

namespace {
// Which numbers of the text the first ones are, by where each is spelled.
Indices find_places(const Options& options, std::span<const std::uint64_t> in_text_order, std::span<const std::uint64_t> first) {
  const std::uint32_t width = index_bytes_for(options, in_text_order.size());
  const auto place = [](std::uint64_t ref) { return ref & ((std::uint64_t{1} << io::kOffsetBits) - 1); };
  Indices indices{io::Buffer(first.size() * width), width};
  for (std::uint64_t i = 0; i < first.size(); ++i) {
    const auto found = std::ranges::lower_bound(in_text_order, place(first[i]), {}, place);
    indices.set(i, static_cast<std::uint64_t>(found - in_text_order.begin()));
  }
  return indices;
}
}  // namespace

int topk_text(const Options& options, Source& source, Report& report) {
  expect_writable_text(options, source.name(), output_format(options.output, source.format));
  if (plan_only(options, source, report)) return kGood;
  TopKOutputs outputs(options, source.format);
  Numbers numbers = read_text(options, source, report);
  report.add("k", options.k);
  io::Buffer in_text_order;
  if (outputs.wants_places()) {
    in_text_order.resize(numbers.refs.size());
    std::ranges::copy(words(numbers.refs), words(in_text_order).begin());
  }
  report.begin("sort", numbers.keys.size() + numbers.refs.size());
  put_in_order(options, numbers);
  numbers.count = std::min(options.k, numbers.count);
  numbers.refs.resize(numbers.count * sizeof(std::uint64_t));
  if (outputs.wants_places()) {
    const Indices places = find_places(options, words(in_text_order), words(numbers.refs));
    outputs.write_places(places.buffer, places.width, report);
  }
  io::Meter* const meter = report.begin("write", 0);
  if (is_binary(outputs.keys_format()))
    write_items(outputs.keys(), options, numbers, outputs.keys_format(), meter);
  else
    write_spellings(outputs.keys(), numbers, outputs.keys_format(), meter);
  outputs.commit();
  report.finish();
  return kGood;
}

int merge_text(const Options& options, std::vector<Source>& sources, Report& report) {
  Source& first = sources[0];
  const Format format = output_format(options.output, first.format);
  expect_writable_text(options, first.name(), format);
  refuse_what_texts_lack(options);
  describe_text(report, options, first);
  report.add("input_count", std::uint64_t{sources.size()});
  if (options.dry_run) return report.print_result(), kGood;
  const bool binary = is_binary(format);
  io::Output output(options.output, std::nullopt, binary);
  Numbers numbers = parse(options, "the inputs together", join_sorted(options, sources, report), io::TextFormat::lines);
  report.add("count", numbers.count);
  report.begin("merge", numbers.keys.size() + numbers.refs.size());
  put_in_order(options, numbers);
  io::Meter* const meter = report.begin("write", numbers.text.size());
  if (binary)
    write_items(output, options, numbers, format, meter);
  else
    write_spellings(output, numbers, format, meter);
  output.commit();
  report.finish();
  return kGood;
}

std::string why_no_sort(const Numbers& before, const Numbers& after) {
  if (before.count != after.count)
    return "holds " + std::to_string(after.count) + " numbers, and there were " + std::to_string(before.count);
  const std::uint64_t offender = io::first_misplaced(after.job, words(after.refs));
  if (offender != after.count)
    return "disorder at number " + std::to_string(offender + 1) + ": " +
           spelling(after, offender);
  if (io::hash_spellings(before.job, words(before.refs)) != io::hash_spellings(after.job, words(after.refs))) {
    return "is in order, and does not hold the same numbers: something was lost, added or changed";
  }
  return {};
}

int verify_text(const Options& options, Source& before, Source& after, Report& report) {
  if (options.judges_indices || !options.values.empty())
    throw Usage("--argsort and --values are for .npy and raw data");
  if (!options.whole_key()) throw Usage("verify judges whole numbers of a text; leave --bits out");
  const Numbers numbers_before = read_numbers(options, before, report);
  const Numbers numbers_after = read_numbers(options, after, report);
  const std::string why = why_no_sort(numbers_before, numbers_after);
  report.add("good", why.empty());
  report.finish();
  if (why.empty()) {
    if (!options.quiet && !options.json)
      std::printf("good: %s is a sort of %s\n", options.second_input.c_str(), options.input.c_str());
    return kGood;
  }
  std::fprintf(stderr, "lanesort: %s: %s\n", options.second_input.c_str(), why.c_str());
  return kSaysNo;
}

}  // namespace lanesort::cli
