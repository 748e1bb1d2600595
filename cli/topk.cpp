// topk: the first k of what sort and argsort would write; of an array of several dimensions, those of each row. Keys to
// --output, their places to --indices.
#include <algorithm>

#include "commands.hpp"
#include "device.hpp"
#include "engine.hpp"
#include "io/failure.hpp"
#include "report.hpp"
#include "segments.hpp"
#include "status.hpp"
#include "target.hpp"
#include "topk.hpp"

namespace lanesort::cli {
namespace {
// Along the last axis each row counts by itself; other arrays are one row.
struct Rows {
  std::uint64_t rows, items;
};
Rows rows_of(const Source& keys) {
  const std::uint64_t count = keys.count.value_or(0);
  if (!has_rows(keys)) return {1, count};
  const std::uint64_t items = keys.npy->shape.back();
  return {items == 0 ? 0 : count / items, items};
}

std::uint64_t needed_bytes(const Options& options, const Source& keys, std::uint32_t index_bytes) {
  const auto [rows, items] = rows_of(keys);
  lanesort_sort_desc desc = describe(options, keys.dtype, items);
  desc.value_bytes = index_bytes;
  desc.k = options.k;
  const std::uint64_t kept_bytes = rows * std::min(options.k, items) * (keys.item_bytes + index_bytes);
  return keys.data_bytes.value_or(0) + kept_bytes + scratch_bytes(LANESORT_OP_TOP_K, desc);
}

// What the source says of its keys, over the kept ones.
void narrow(Source& keys, std::uint64_t rows, std::uint64_t kept) {
  keys.count = rows * kept;
  keys.data_bytes = *keys.count * keys.item_bytes;
  if (!keys.npy) return;
  auto& shape = keys.npy->shape;
  if (shape.empty()) shape = {1};
  shape.back() = kept;
  keys.npy->bytes = io::make_npy_header(keys.npy->descr, shape);
}
}  // namespace

TopKOutputs::TopKOutputs(const Options& options, Format otherwise)
    : keys_format_(output_format(options.output, otherwise)),
      indices_format_(output_format(options.indices_out, otherwise)),
      keys_(options.output, std::nullopt, is_binary(keys_format_)) {
  if (!options.indices_out.empty())
    indices_ = std::make_unique<io::Output>(options.indices_out, std::nullopt, is_binary(indices_format_));
}

void TopKOutputs::write_places(const io::Buffer& indices, std::uint32_t index_bytes, Report& report,
                               const std::vector<std::uint64_t>& shape) {
  if (indices_ == nullptr) return;
  write_indices(*indices_, indices_format_, indices, index_bytes, report.begin("write", indices.size()), shape);
}

void TopKOutputs::commit() {
  if (indices_ != nullptr) indices_->commit();
  keys_.commit();
}

int topk_command(const Options& as_asked) {
  const Options options = with_index_of_suffix(as_asked, as_asked.indices_out);
  require_device(options);
  Report report(options, "topk");
  report.begin("read", 0);  // a pipe may make us wait right here
  Source keys = open_keys(options.input, options);
  if (!keys.is_binary()) return topk_text(options, keys, report);
  expect_writable(keys, options.output);

  const auto index_bytes = [&] { return options.indices_out.empty() ? 0 : index_bytes_for(options, rows_of(keys).items); };
  report.add("input", keys.name());
  report.add("output", options.output == "-" ? std::string("standard output") : options.output);
  report.add("dtype", std::string(lanesort_dtype_name(keys.dtype)));
  report.add("order", std::string(options.order == LANESORT_DESCENDING ? "desc" : "asc"));
  report.add("device", device_words(options));
  report.add("k", options.k);
  const bool counted = keys.count.has_value();
  if (counted) {
    report.add("count", *keys.count);
    report.add("memory_bytes", needed_bytes(options, keys, index_bytes()));
  }
  expect_memory(options, needed_bytes(options, keys, index_bytes()));
  if (options.dry_run) return report.print_result(), kGood;

  TopKOutputs outputs(options, keys.format);
  const io::Buffer data = load(keys, options, report.begin("read", keys.data_bytes.value_or(0)));
  if (!counted) report.add("count", *keys.count);
  expect_memory(options, needed_bytes(options, keys, index_bytes()));
  report.begin("select", data.size());
  const auto [rows, items] = rows_of(keys);
  const std::uint32_t place_bytes = index_bytes();
  TopK first = top_k(options, keys.dtype, rows, items, data, place_bytes);
  narrow(keys, rows, std::min(options.k, items));
  report.add("kept", *keys.count);
  outputs.write_places(first.indices, place_bytes, report, has_rows(keys) ? keys.npy->shape : std::vector<std::uint64_t>{});
  store(outputs.keys(), keys, options, first.keys, report.begin("write", first.keys.size()));
  outputs.commit();
  report.finish();
  return kGood;
}

}  // namespace lanesort::cli
