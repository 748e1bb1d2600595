// lanesort_cuda_bench: the CUDA engine and CUB in one process, on the same buffers, in turn; results as `lanesort
// bench` writes them. Times are of device events round all that a call records; fresh input for every sample, outside
// the clock.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/harness.hpp"
#include "bench/machine.hpp"
#include "bench/patterns.hpp"
#include "bench/segments.hpp"
#include "cuda/device.hpp"
#include "cuda/handle.hpp"
#include "host_rows.hpp"
#include "kernels/cuda/params.hpp"
#include "lanesort/cuda.h"
#include "plan/cuda_plan.hpp"
#include "rivals.hpp"
#include "summary.hpp"

namespace lanesort::bench::cuda {
namespace {

using test::Address;
using test::Cuda;
using test::EventOf;

class Memory {
 public:
  explicit Memory(std::size_t bytes) { LANESORT_MUST(cuMemAlloc_v2(&address_, std::max<std::size_t>(bytes, 256))); }
  ~Memory() { Cuda::get().cuMemFree_v2(address_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  Address address() const { return address_; }
  void* data() const { return reinterpret_cast<void*>(address_); }

 private:
  Address address_ = 0;
};

struct Work {
  lanesort_operation op;
  lanesort_dtype dtype;
  KeyType key;
  std::uint32_t value_bytes;
  std::string pattern;
  std::uint64_t count;
};

// f32, the first k of each row.
struct TopWork {
  std::uint64_t rows, count, k;  // items of each row
  std::uint32_t index_bytes;
};

// u32, each segment by itself; lengths as make_offsets() knows them.
struct SegmentWork {
  std::string lengths;
  std::uint64_t count;
  std::uint32_t value_bytes;
};

// "below16" and "below65536" are uniform keys with the bits above cut off.
std::vector<std::byte> make_keys(const Work& work) {
  const std::size_t bytes = lanesort_dtype_bytes(work.dtype);
  std::vector<std::byte> keys(work.count * bytes);
  const bool cut = work.pattern.starts_with("below");
  generate({cut ? "uniform" : work.pattern, work.dtype, work.count, kDefaultSeed}, keys);
  if (cut) {
    const std::uint64_t mask = std::stoull(work.pattern.substr(5)) - 1;
    for (std::uint64_t i = 0; i < work.count; ++i) {
      std::uint64_t key = 0;
      std::memcpy(&key, keys.data() + i * bytes, bytes);
      key &= mask;
      std::memcpy(keys.data() + i * bytes, &key, bytes);
    }
  }
  return keys;
}

class Bench {
 public:
  Bench() {
    LANESORT_MUST(cuStreamCreate(&stream_, 1));
    LANESORT_MUST(cuEventCreate(&begin_, 0));
    LANESORT_MUST(cuEventCreate(&end_, 0));
    if (lanesort_cuda_create(nullptr, &handle_) != LANESORT_OK) throw Error(lanesort_last_error());
  }
  ~Bench() { lanesort_cuda_destroy(handle_); }
  lanesort_cuda* handle() { return handle_; }

  // Bytes read and bytes written, both counted.
  double copy_rate() {
    const std::size_t bytes = std::size_t{1} << 30;
    Memory from(bytes), to(bytes);
    std::vector<double> times;
    for (int i = 0; i < 11; ++i)
      times.push_back(time([&] { LANESORT_MUST(cuMemcpyDtoDAsync_v2(to.address(), from.address(), bytes, stream_)); }));
    return 2.0 * static_cast<double>(bytes) / summary(times).median_s;
  }

  Row run(const Work& work, int samples) {
    const std::size_t key_bytes = lanesort_dtype_bytes(work.dtype), key_size = work.count * key_bytes,
                      value_size = work.count * work.value_bytes;
    const bool argsort = work.op == LANESORT_OP_ARGSORT;
    Memory src(key_size), indices(value_size), keys(key_size), other(key_size), values(value_size),
        values_other(value_size), verdict(sizeof(lanesort_verdict));
    {
      const std::vector<std::byte> host = make_keys(work);
      LANESORT_MUST(cuMemcpyHtoD_v2(src.address(), host.data(), host.size()));
      std::vector<std::byte> counted(value_size);
      for (std::uint64_t i = 0; i < work.count && work.value_bytes != 0; ++i)
        std::memcpy(counted.data() + i * work.value_bytes, &i, work.value_bytes);
      if (value_size != 0) LANESORT_MUST(cuMemcpyHtoD_v2(indices.address(), counted.data(), value_size));
    }
    lanesort_sort_desc desc = LANESORT_SORT_INIT;
    desc.dtype = work.dtype;
    desc.count = work.count;
    desc.value_bytes = work.value_bytes;
    desc.keys_src = argsort ? src.data() : keys.data();
    desc.keys_dst = argsort ? nullptr : keys.data();
    desc.values_src = work.op == LANESORT_OP_SORT_PAIRS ? values.data() : nullptr;
    desc.values_dst = work.op == LANESORT_OP_SORT ? nullptr : values.data();
    lanesort_capabilities capabilities = LANESORT_CAPABILITIES_INIT;
    std::uint64_t scratch_bytes = 0;
    if (lanesort_cuda_query(handle_, &capabilities) != LANESORT_OK ||
        lanesort_scratch_bytes(work.op, &desc, &capabilities, &scratch_bytes) != LANESORT_OK)
      throw Error(lanesort_last_error());
    const std::uint64_t room =
        std::max(scratch_bytes,
                 plan::plan_cuda_sort({static_cast<std::uint32_t>(key_bytes), work.value_bytes, argsort, work.count},
                                      handle_->limits)
                     .scratch.bytes);
    Memory scratch(room);
    desc.scratch = scratch.data();
    desc.scratch_bytes = room;

    const RivalCall call{work.key,
                         work.value_bytes,
                         RivalForm::double_buffer,
                         argsort,
                         keys.data(),
                         other.data(),
                         values.data(),
                         values_other.data(),
                         work.count,
                         nullptr,
                         0,
                         stream_,
                         0};
    RivalCall calls[kRivalForms];
    bool known = true;
    std::size_t temp_bytes = 0;
    for (std::uint32_t r = 0; r < kRivalForms && known; ++r) {
      calls[r] = call;
      calls[r].form = static_cast<RivalForm>(r);
      known = sort_by_rival(calls[r]);
      temp_bytes = std::max(temp_bytes, calls[r].temp_bytes);
    }
    Memory temp(temp_bytes);
    for (RivalCall& each : calls) each.temp = temp.data();

    const auto fresh = [&] {
      LANESORT_MUST(cuMemcpyDtoDAsync_v2(keys.address(), src.address(), key_size, stream_));
      if (value_size != 0)
        LANESORT_MUST(cuMemcpyDtoDAsync_v2(values.address(), indices.address(), value_size, stream_));
    };
    const auto ours = [&] {
      const lanesort_status status = argsort ? lanesort_cuda_argsort(handle_, stream_, &desc, nullptr)
                                     : work.op == LANESORT_OP_SORT
                                         ? lanesort_cuda_sort(handle_, stream_, &desc, nullptr)
                                         : lanesort_cuda_sort_pairs(handle_, stream_, &desc, nullptr);
      if (status != LANESORT_OK) throw Error(lanesort_last_error());
    };
    const auto good = [&](const void* sorted, const void* moved, bool by_values) {
      lanesort_sort_desc of = desc;
      of.keys_src = src.data();
      of.keys_dst = const_cast<void*>(sorted);
      of.values_src = work.op == LANESORT_OP_SORT ? nullptr : indices.data();
      of.values_dst = const_cast<void*>(moved);
      bool right = true;
      if (!argsort) right = verdict_of(work.op, of, verdict);
      // Values are places in the input, so they show stability too.
      if (right && by_values && work.value_bytes >= 4) {
        of.keys_dst = nullptr;
        of.values_src = nullptr;
        right = verdict_of(LANESORT_OP_ARGSORT, of, verdict);
      }
      return right;
    };

    Row row;
    row.backend = "cuda";
    row.op = argsort ? "argsort" : work.op == LANESORT_OP_SORT ? "sort" : "sort_pairs";
    row.key = lanesort_dtype_name(work.dtype);
    row.value_bytes = work.value_bytes;
    row.count = work.count;
    row.pattern = work.pattern;
    row.order = "ascending";
    row.form = argsort ? "src_dst" : "in_place";
    fresh();
    ours();
    LANESORT_MUST(cuStreamSynchronize(stream_));
    row.verified = good(keys.data(), values.data(), true);
    row.engine = engine(work, key_bytes, argsort, scratch);
    Rival rivals[kRivalForms] = {{"cub", cub_version(), {}, false, ""},
                                 {"cub plain", cub_version(), {}, false, ""},
                                 {"thrust", cub_version(), {}, false, ""}};
    for (std::uint32_t r = 0; r < kRivalForms && known; ++r) {
      fresh();
      sort_by_rival(calls[r]);
      LANESORT_MUST(cuStreamSynchronize(stream_));
      // CUB orders NaN and zeros otherwise; where there are none its result is held to the same check.
      rivals[r].verified = good(calls[r].selected ? other.data() : keys.data(),
                                calls[r].selected ? values_other.data() : values.data(), true);
      if (!rivals[r].verified) rivals[r].fault = "another order";
    }
    // Fewer samples of the forms that nobody would choose for speed.
    const int samples_of[kRivalForms] = {samples, (samples + 1) / 2, std::min(samples, 3)};
    std::vector<double> mine, theirs[kRivalForms];
    for (int s = 0; s < samples; ++s) {
      fresh();
      mine.push_back(time(ours));
      for (std::uint32_t r = 0; r < kRivalForms && known; ++r) {
        if (s >= samples_of[r]) continue;
        fresh();
        theirs[r].push_back(time([&] { sort_by_rival(calls[r]); }));
      }
    }
    row.timing = summary(mine);
    row.keys_per_s = static_cast<double>(work.count) / row.timing.median_s;
    row.copy_share = 2.0 *
                     static_cast<double>((argsort ? key_size : key_size + value_size) + (argsort ? value_size : 0)) /
                     copy_bytes_per_s / row.timing.median_s;
    for (std::uint32_t r = 0; r < kRivalForms && known; ++r) {
      rivals[r].timing = summary(theirs[r]);
      row.rivals.push_back(rivals[r]);
    }
    return row;
  }

  // Against CUB's sort of everything, in place with its second buffer: of rows by the one of its two made for them.
  Row run_top_k(const TopWork& work, int samples) {
    const std::uint64_t items = work.rows * work.count, kept = work.rows * work.k;
    Memory src(items * 4), keys(items * 4), other(items * 4), keys_dst(kept * 4), indices(kept * work.index_bytes),
        begins((work.rows + 1) * 8);
    std::vector<std::byte> host(items * 4);
    generate({"uniform", LANESORT_F32, items, kDefaultSeed}, host);
    LANESORT_MUST(cuMemcpyHtoD_v2(src.address(), host.data(), host.size()));
    std::vector<std::uint64_t> begin(work.rows + 1);
    for (std::uint64_t r = 0; r <= work.rows; ++r) begin[r] = r * work.count;
    LANESORT_MUST(cuMemcpyHtoD_v2(begins.address(), begin.data(), begin.size() * 8));

    lanesort_sort_desc desc = LANESORT_SORT_INIT;
    desc.dtype = LANESORT_F32;
    desc.count = work.count;
    desc.k = work.k;
    desc.value_bytes = work.index_bytes;
    desc.keys_src = src.data();
    desc.keys_dst = keys_dst.data();
    desc.values_dst = work.index_bytes == 0 ? nullptr : indices.data();
    lanesort_capabilities capabilities = LANESORT_CAPABILITIES_INIT;
    if (lanesort_cuda_query(handle_, &capabilities) != LANESORT_OK ||
        lanesort_scratch_bytes(LANESORT_OP_TOP_K, &desc, &capabilities, &desc.scratch_bytes) != LANESORT_OK)
      throw Error(lanesort_last_error());
    Memory scratch(desc.scratch_bytes);
    desc.scratch = scratch.data();
    const auto ours = [&] {
      if (lanesort_cuda_top_k_rows(handle_, stream_, &desc, work.rows, nullptr) != LANESORT_OK)
        throw Error(lanesort_last_error());
    };

    RivalCall cub{KeyType::f32, 0, RivalForm::double_buffer, false, keys.data(), other.data(), nullptr, nullptr, items, nullptr, 0, stream_, 0};
    const auto theirs = [&](bool radix) {
      if (work.rows == 1)
        sort_by_rival(cub);
      else if (!sort_rows_by_cub(cub, work.rows, static_cast<const std::uint64_t*>(begins.data()), radix))
        throw Error("CUB refuses the rows");
    };
    theirs(false);
    const std::size_t first_bytes = cub.temp_bytes;
    theirs(true);
    cub.temp_bytes = std::max(first_bytes, cub.temp_bytes);
    Memory temp(cub.temp_bytes);
    cub.temp = temp.data();

    Row row;
    row.backend = "cuda";
    row.op = "top_k";
    row.key = "f32";
    row.value_bytes = work.index_bytes;
    row.count = items;
    row.pattern = "uniform, k " + std::to_string(work.k) + (work.rows == 1 ? "" : ", rows " + std::to_string(work.rows));
    row.order = "ascending";
    row.form = "src_dst";
    row.engine = "select";
    ours();
    LANESORT_MUST(cuStreamSynchronize(stream_));
    row.verified = same_as_on_cpu(work, host, keys_dst, indices);
    std::vector<double> mine, others[2];
    const int kinds = work.rows == 1 ? 1 : 2;
    for (int s = 0; s < samples; ++s) {
      mine.push_back(time(ours));
      for (int r = 0; r < kinds; ++r) {
        LANESORT_MUST(cuMemcpyDtoDAsync_v2(keys.address(), src.address(), items * 4, stream_));
        others[r].push_back(time([&] { theirs(r == 1); }));
      }
    }
    row.timing = summary(mine);
    row.keys_per_s = static_cast<double>(items) / row.timing.median_s;
    row.copy_share = static_cast<double>(items) * 4 / copy_bytes_per_s / row.timing.median_s;
    for (int r = 0; r < kinds; ++r)
      row.rivals.push_back({work.rows == 1 ? "cub" : r == 0 ? "cub segmented" : "cub segmented radix", cub_version(),
                            summary(others[r]), true, ""});
    return row;
  }

  // In place, against both of CUB's segmented sorts. A slow rival has fewer samples: a second's worth.
  Row run_segments(const SegmentWork& work, int samples) {
    const std::vector<std::uint64_t> offsets = make_offsets(work.lengths, work.count, kDefaultSeed);
    const std::size_t key_size = work.count * 4, value_size = work.count * work.value_bytes;
    Memory src(key_size), counted(value_size), keys(key_size), other(key_size), values(value_size),
        values_other(value_size), begins(offsets.size() * 8);
    std::vector<std::byte> host(key_size), indices(value_size);
    generate({"uniform", LANESORT_U32, work.count, kDefaultSeed}, host);
    for (std::uint64_t i = 0; i < work.count && value_size != 0; ++i) std::memcpy(&indices[i * 4], &i, 4);
    LANESORT_MUST(cuMemcpyHtoD_v2(src.address(), host.data(), key_size));
    if (value_size != 0) LANESORT_MUST(cuMemcpyHtoD_v2(counted.address(), indices.data(), value_size));
    LANESORT_MUST(cuMemcpyHtoD_v2(begins.address(), offsets.data(), offsets.size() * 8));

    const lanesort_operation op = work.value_bytes == 0 ? LANESORT_OP_SORT : LANESORT_OP_SORT_PAIRS;
    lanesort_sort_desc desc = LANESORT_SORT_INIT;
    desc.count = work.count;
    desc.value_bytes = work.value_bytes;
    desc.keys_src = desc.keys_dst = keys.data();
    if (value_size != 0) desc.values_src = desc.values_dst = values.data();
    desc.segment_begins = static_cast<const std::uint64_t*>(begins.data());
    desc.segment_count = offsets.size() - 1;
    lanesort_capabilities capabilities = LANESORT_CAPABILITIES_INIT;
    if (lanesort_cuda_query(handle_, &capabilities) != LANESORT_OK ||
        lanesort_scratch_bytes(op, &desc, &capabilities, &desc.scratch_bytes) != LANESORT_OK)
      throw Error(lanesort_last_error());
    Memory scratch(desc.scratch_bytes);
    desc.scratch = scratch.data();
    const auto ours = [&] {
      if ((op == LANESORT_OP_SORT ? lanesort_cuda_sort(handle_, stream_, &desc, nullptr)
                                  : lanesort_cuda_sort_pairs(handle_, stream_, &desc, nullptr)) != LANESORT_OK)
        throw Error(lanesort_last_error());
    };
    RivalCall cub{KeyType::u32,        work.value_bytes, RivalForm::double_buffer, false, keys.data(), other.data(), values.data(),
                  values_other.data(), work.count,       nullptr,                  0,     stream_,     0};
    const auto theirs = [&](bool radix) {
      if (!sort_segments_by_cub(cub, offsets.size() - 1, desc.segment_begins, radix))
        throw Error("CUB refuses the segments");
    };
    theirs(false);
    const std::size_t first_bytes = cub.temp_bytes;
    theirs(true);
    cub.temp_bytes = std::max(first_bytes, cub.temp_bytes);
    Memory temp(cub.temp_bytes);
    cub.temp = temp.data();
    const auto fresh = [&] {
      LANESORT_MUST(cuMemcpyDtoDAsync_v2(keys.address(), src.address(), key_size, stream_));
      if (value_size != 0) LANESORT_MUST(cuMemcpyDtoDAsync_v2(values.address(), counted.address(), value_size, stream_));
    };

    lanesort_sort_desc on_cpu = desc;
    on_cpu.keys_src = on_cpu.keys_dst = host.data();
    if (value_size != 0) on_cpu.values_src = on_cpu.values_dst = indices.data();
    on_cpu.segment_begins = offsets.data();
    on_cpu.scratch = nullptr;
    on_cpu.scratch_bytes = 0;
    if ((op == LANESORT_OP_SORT ? lanesort_sort(&on_cpu) : lanesort_sort_pairs(&on_cpu)) != LANESORT_OK)
      throw Error(lanesort_last_error());
    const auto good = [&](const Memory& sorted, const Memory& moved) {
      std::vector<std::byte> got(key_size), got_values(value_size);
      LANESORT_MUST(cuMemcpyDtoH_v2(got.data(), sorted.address(), key_size));
      if (value_size != 0) LANESORT_MUST(cuMemcpyDtoH_v2(got_values.data(), moved.address(), value_size));
      return got == host && got_values == indices;
    };

    Row row;
    row.backend = "cuda";
    row.op = op == LANESORT_OP_SORT ? "sort" : "sort_pairs";
    row.key = "u32";
    row.value_bytes = work.value_bytes;
    row.count = work.count;
    row.pattern = "uniform, segments " + work.lengths;
    row.order = "ascending";
    row.form = "in_place";
    row.engine = "segments";
    fresh();
    ours();
    LANESORT_MUST(cuStreamSynchronize(stream_));
    row.verified = good(keys, values);
    Rival rivals[2] = {{"cub segmented", cub_version(), {}, false, ""}, {"cub segmented radix", cub_version(), {}, false, ""}};
    std::vector<double> mine, others[2];
    double spent[2] = {};
    for (int r = 0; r < 2; ++r) {
      fresh();
      spent[r] += time([&] { theirs(r == 1); });
      rivals[r].verified = cub.selected ? good(other, values_other) : good(keys, values);
    }
    for (int s = 0; s < samples; ++s) {
      fresh();
      mine.push_back(time(ours));
      for (int r = 0; r < 2; ++r) {
        if (s != 0 && spent[r] > 1) continue;
        fresh();
        others[r].push_back(time([&] { theirs(r == 1); }));
        spent[r] += others[r].back();
      }
    }
    row.timing = summary(mine);
    row.keys_per_s = static_cast<double>(work.count) / row.timing.median_s;
    row.copy_share = 2.0 * static_cast<double>(key_size + value_size) / copy_bytes_per_s / row.timing.median_s;
    for (int r = 0; r < 2; ++r) {
      rivals[r].timing = summary(others[r]);
      row.rivals.push_back(rivals[r]);
    }
    return row;
  }

  double copy_bytes_per_s = 1;

 private:
  // Byte for byte, indices too.
  bool same_as_on_cpu(const TopWork& work, const std::vector<std::byte>& host, const Memory& keys, const Memory& indices) {
    const std::uint64_t kept = work.rows * work.k;
    std::vector<std::byte> want_keys(kept * 4), want(kept * work.index_bytes), got_keys(kept * 4), got(want.size());
    for (std::uint64_t r = 0; r < work.rows; ++r) {
      lanesort_sort_desc desc = LANESORT_SORT_INIT;
      desc.dtype = LANESORT_F32;
      desc.count = work.count;
      desc.k = work.k;
      desc.value_bytes = work.index_bytes;
      desc.threads = work.rows == 1 ? 0 : 1;
      desc.keys_src = host.data() + r * work.count * 4;
      desc.keys_dst = want_keys.data() + r * work.k * 4;
      desc.values_dst = work.index_bytes == 0 ? nullptr : want.data() + r * work.k * work.index_bytes;
      if (lanesort_top_k(&desc) != LANESORT_OK) throw Error(lanesort_last_error());
    }
    LANESORT_MUST(cuMemcpyDtoH_v2(got_keys.data(), keys.address(), got_keys.size()));
    if (!got.empty()) LANESORT_MUST(cuMemcpyDtoH_v2(got.data(), indices.address(), got.size()));
    return got_keys == want_keys && got == want;
  }

  template <class Call>
  double time(Call&& call) {
    LANESORT_MUST(cuStreamSynchronize(stream_));
    LANESORT_MUST(cuEventRecord(begin_, stream_));
    call();
    LANESORT_MUST(cuEventRecord(end_, stream_));
    LANESORT_MUST(cuEventSynchronize(end_));
    float milliseconds = 0;
    LANESORT_MUST(cuEventElapsedTime(&milliseconds, begin_, end_));
    return static_cast<double>(milliseconds) * 1e-3;
  }

  bool verdict_of(lanesort_operation op, const lanesort_sort_desc& desc, const Memory& verdict) {
    if (lanesort_cuda_verify(handle_, stream_, op, &desc, nullptr, static_cast<lanesort_verdict*>(verdict.data())) !=
        LANESORT_OK)
      throw Error(lanesort_last_error());
    LANESORT_MUST(cuStreamSynchronize(stream_));
    lanesort_verdict found = LANESORT_VERDICT_INIT;
    LANESORT_MUST(cuMemcpyDtoH_v2(&found, verdict.address(), sizeof found));
    return found.good == 1;
  }

  // Which way the device took, from the control block that the last sort has left.
  std::string engine(const Work& work, std::size_t key_bytes, bool argsort, const Memory& scratch) {
    const plan::CudaPlan plan = plan::plan_cuda_sort(
        {static_cast<std::uint32_t>(key_bytes), work.value_bytes, argsort, work.count}, handle_->limits);
    if (plan.kernel >= plan::CudaKernel::small0) return "small";
    kernels::Control control;
    LANESORT_MUST(cuMemcpyDtoH_v2(&control, (scratch.address() + 255) / 256 * 256, sizeof control));
    return control.finished == kernels::kByBuckets     ? "buckets"
           : control.finished == kernels::kByQuantiles ? "quantiles"
           : control.finished == kernels::kByCounts ? "counts"
           : control.disorder != 3                  ? "survey"
                                                    : "passes";
  }

  lanesort_cuda* handle_ = nullptr;
  CUstream_st* stream_ = nullptr;
  EventOf *begin_ = nullptr, *end_ = nullptr;
};

std::vector<TopWork> list_top_k() {
  constexpr std::uint64_t M = 1 << 20;
  std::vector<TopWork> works;
  for (std::uint32_t index_bytes : {4u, 0u}) {
    for (std::uint64_t k : {10u, 1000u, 100000u}) works.push_back({1, 256 * M, k, index_bytes});
    works.push_back({10000, 10000, 32, index_bytes});
  }
  works.push_back({1, 256 * M, 10000000, 4});
  works.push_back({1, 16 * M, 100, 4});
  works.push_back({1, M, 100, 4});
  works.push_back({1, 10000, 100, 4});
  return works;
}

std::vector<SegmentWork> list_segments() {
  constexpr std::uint64_t n = 100'000'000;
  std::vector<SegmentWork> works;
  for (std::uint32_t value_bytes : {0u, 4u}) {
    for (const char* lengths : {"100", "10000", "1000000", "100000000", "zipf"}) works.push_back({lengths, n, value_bytes});
  }
  for (std::uint32_t value_bytes : {0u, 4u}) {
    for (const char* lengths : {"10", "1000", "30000"}) works.push_back({lengths, n, value_bytes});
  }
  return works;
}

std::vector<Work> list(const std::string& which) {
  constexpr std::uint64_t K = 1 << 10, M = 1 << 20;
  std::vector<Work> works;
  const auto keys = [&](lanesort_dtype dtype, KeyType key, std::initializer_list<std::uint64_t> counts,
                        const char* pattern = "uniform") {
    for (std::uint64_t n : counts) works.push_back({LANESORT_OP_SORT, dtype, key, 0, pattern, n});
  };
  const auto pairs = [&](lanesort_dtype dtype, KeyType key, std::uint32_t value_bytes,
                         std::initializer_list<std::uint64_t> counts, lanesort_operation op = LANESORT_OP_SORT_PAIRS,
                         const char* pattern = "uniform") {
    for (std::uint64_t n : counts) works.push_back({op, dtype, key, value_bytes, pattern, n});
  };
  const bool all = which == "full";
  if (which == "first" || which == "quick" || all) {
    keys(LANESORT_U32, KeyType::u32, {256 * M});
    pairs(LANESORT_U32, KeyType::u32, 4, {256 * M});
    keys(LANESORT_U64, KeyType::u64, {256 * M});
    pairs(LANESORT_U64, KeyType::u64, 4, {256 * M});
    pairs(LANESORT_U64, KeyType::u64, 8, {256 * M});
    pairs(LANESORT_F32, KeyType::f32, 4, {256 * M});
    pairs(LANESORT_F32, KeyType::f32, 4, {256 * M}, LANESORT_OP_ARGSORT);
    for (const char* pattern : {"below16", "below65536", "sorted", "reversed", "equal"})
      keys(LANESORT_U32, KeyType::u32, {256 * M}, pattern);
  }
  if (which == "small" || which == "quick" || all) {
    keys(LANESORT_U32, KeyType::u32,
         {16 * M, 10000000, 4 * M, 3000001, M, 1000003, 256 * K, 64 * K, 50001, 16 * K, 8 * K, 4 * K, 1000, 256});
    pairs(LANESORT_U32, KeyType::u32, 4,
          {16 * M, 10000000, 4 * M, M, 1000003, 256 * K, 64 * K, 16 * K, 4 * K, 1000, 256});
    keys(LANESORT_U64, KeyType::u64, {16 * M, 10000000, M, 1000003, 64 * K, 4 * K, 1000});
    pairs(LANESORT_U64, KeyType::u64, 4, {16 * M, M, 64 * K, 4 * K});
    pairs(LANESORT_U64, KeyType::u64, 8, {16 * M, M, 64 * K, 4 * K});
    keys(LANESORT_F32, KeyType::f32, {16 * M, M, 64 * K, 4 * K});
    pairs(LANESORT_F32, KeyType::f32, 4, {16 * M, M, 64 * K, 4 * K});
    pairs(LANESORT_F32, KeyType::f32, 4, {16 * M, M, 64 * K, 4 * K}, LANESORT_OP_ARGSORT);
    keys(LANESORT_U8, KeyType::u8, {16 * M, M, 64 * K, 4 * K});
    keys(LANESORT_U16, KeyType::u16, {16 * M, M, 64 * K, 4 * K});
  }
  if (which == "sweep" || all) {  // powers of two, and half way from each to the next
    for (std::uint64_t n = 256; n <= 128 * M; n *= 2) {
      keys(LANESORT_U32, KeyType::u32, {n, n + n / 2});
      pairs(LANESORT_U32, KeyType::u32, 4, {n, n + n / 2});
    }
  }
  if (which == "patterns" || which == "quick" || all) {
    for (const char* pattern : {"entropy2", "entropy3", "entropy5", "zipf", "few16", "nearly", "organ", "constbyte"}) {
      keys(LANESORT_U32, KeyType::u32, {16 * M, 256 * M}, pattern);
      pairs(LANESORT_U32, KeyType::u32, 4, {256 * M}, LANESORT_OP_SORT_PAIRS, pattern);
    }
    keys(LANESORT_U8, KeyType::u8, {256 * M});
    keys(LANESORT_U16, KeyType::u16, {256 * M});
    keys(LANESORT_F32, KeyType::f32, {256 * M});
  }
  return works;
}

// "sort_pairs,u32,4,few16,2^24"
Work parse_row(const std::string& words) {
  std::vector<std::string> part;
  for (std::size_t at = 0, end = 0; end != std::string::npos; at = end + 1)
    part.push_back(words.substr(at, (end = words.find(',', at)) - at));
  constexpr struct {
    const char* name;
    lanesort_dtype dtype;
    KeyType key;
  } kKeys[] = {{"u8", LANESORT_U8, KeyType::u8},
               {"u16", LANESORT_U16, KeyType::u16},
               {"u32", LANESORT_U32, KeyType::u32},
               {"u64", LANESORT_U64, KeyType::u64},
               {"f32", LANESORT_F32, KeyType::f32}};
  constexpr struct {
    const char* name;
    lanesort_operation op;
  } kOps[] = {{"sort", LANESORT_OP_SORT}, {"sort_pairs", LANESORT_OP_SORT_PAIRS}, {"argsort", LANESORT_OP_ARGSORT}};
  for (const auto& key : kKeys) {
    for (const auto& op : kOps) {
      if (part.size() == 5 && part[0] == op.name && part[1] == key.name)
        return {op.op,   key.dtype,           key.key, static_cast<std::uint32_t>(std::stoul(part[2])),
                part[3], parse_count(part[4])};
    }
  }
  throw Error("--row takes OP,KEY,VALUE_BYTES,PATTERN,COUNT like sort_pairs,u32,4,few16,2^24, not " + words);
}

// --buckets-from N moves the border between engines, to find where it belongs.
int run(int argc, char** argv) {
  std::string which = "quick", output;
  std::uint64_t buckets_from = UINT64_MAX;
  int samples = 0;
  std::vector<Work> works;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--json" && i + 1 < argc)
      output = argv[++i];
    else if (word == "--buckets-from" && i + 1 < argc)
      buckets_from = parse_count(argv[++i]);
    else if (word == "--row" && i + 1 < argc)
      works.push_back(parse_row(argv[++i]));
    else if (word == "--samples" && i + 1 < argc)
      samples = std::atoi(argv[++i]);
    else if (word.starts_with("--") && (word == "--top-k" || word == "--segments" || word == "--host" || !list(word.substr(2)).empty()))
      which = word.substr(2);
    else
      throw Error(
          "usage: lanesort_cuda_bench [--first|--small|--patterns|--sweep|--quick|--full|--top-k|--segments|--host] "
          "[--row "
          "OP,KEY,VALUE_BYTES,PATTERN,COUNT]... [--samples N] [--buckets-from N] [--json FILE]");
  }
  if (!Cuda::get().there) {
    std::fprintf(stderr, "no CUDA device: libcuda.so.1 is not there or shows none\n");
    return 3;
  }
  Bench bench;
  bench.handle()->limits.buckets_from = buckets_from;
  BenchReport report;
  report.environment.device = Cuda::get().device;
  report.environment.driver =
      "CUDA " + std::to_string(Cuda::get().version / 1000) + "." + std::to_string(Cuda::get().version % 1000 / 10);
  report.environment.compiler = compiler_name() + ", kernels by nvcc for CUDA " +
                                std::to_string(lanesort::cuda::toolkit_version() / 1000) + "." +
                                std::to_string(lanesort::cuda::toolkit_version() % 1000 / 10);
  report.environment.commit = build_commit();
  report.environment.date = utc_date();
  report.environment.isa = "sm_90";
  report.environment.device_clock = true;
  report.environment.copy_bytes_per_s = bench.copy_bytes_per_s = bench.copy_rate();
  const auto most_samples = [&](std::uint64_t count) {
    return samples != 0 ? samples : count >= (std::uint64_t{1} << 26) ? 9 : 31;
  };
  for (const TopWork& work : which == "top-k" && works.empty() ? list_top_k() : std::vector<TopWork>{}) {
    report.rows.push_back(bench.run_top_k(work, most_samples(work.rows * work.count)));
    const Row& row = report.rows.back();
    std::printf("top_k f32+%u %llu rows of %llu, k %llu: %9.4f ms, %.2f TB/s", row.value_bytes,
                static_cast<unsigned long long>(work.rows), static_cast<unsigned long long>(work.count),
                static_cast<unsigned long long>(work.k), row.timing.median_s * 1e3, row.keys_per_s * 4e-12);
    for (const Rival& rival : row.rivals)
      std::printf("  %s %9.4f ratio %5.1f", rival.name.c_str(), rival.timing.median_s * 1e3,
                  rival.timing.median_s / row.timing.median_s);
    std::printf("  %s\n", row.verified ? "ok" : "WRONG");
    std::fflush(stdout);
    if (!output.empty()) write_json(report, output);
  }
  for (const SegmentWork& work : which == "segments" && works.empty() ? list_segments() : std::vector<SegmentWork>{}) {
    report.rows.push_back(bench.run_segments(work, samples != 0 ? samples : 5));
    const Row& row = report.rows.back();
    const double best = std::min(row.rivals[0].timing.median_s, row.rivals[1].timing.median_s);
    std::printf("%-10s u32+%u segments of %-9s %9.4f ms, %.2f of a copy  cub %9.4f  radix %9.4f  ratio %5.2f  %s%s\n",
                row.op.c_str(), row.value_bytes, work.lengths.c_str(), row.timing.median_s * 1e3, row.copy_share,
                row.rivals[0].timing.median_s * 1e3, row.rivals[1].timing.median_s * 1e3, best / row.timing.median_s,
                row.verified ? "ok" : "WRONG", row.rivals[0].verified && row.rivals[1].verified ? "" : " (cub differs)");
    std::fflush(stdout);
    if (!output.empty()) write_json(report, output);
  }
  for (const HostWork& work : which == "host" && works.empty() ? list_host() : std::vector<HostWork>{}) {
    report.rows.push_back(run_host(bench.handle(), work, samples != 0 ? samples : work.count >= (std::uint64_t{1} << 32) ? 3 : 9));
    const Row& row = report.rows.back();
    std::printf("%-10s u32 %11llu %s, %s: %9.3f ms  %s %9.3f  share %.2f  %s\n", row.op.c_str(), static_cast<unsigned long long>(row.count),
                row.form.c_str(), row.engine.c_str(), row.timing.median_s * 1e3, row.rivals[0].name.c_str(),
                row.rivals[0].timing.median_s * 1e3, row.rivals[0].timing.median_s / row.timing.median_s, row.verified ? "ok" : "WRONG");
    std::fflush(stdout);
    if (!output.empty()) write_json(report, output);
  }
  if (works.empty() && which != "top-k" && which != "segments" && which != "host") works = list(which);
  for (const Work& work : works) {
    const Row row = bench.run(work, most_samples(work.count));
    const double cub = row.rivals.empty() ? 0 : row.rivals[0].timing.median_s;
    std::printf("%-10s %s+%u %-11s %10llu  %9.4f ms  cub %9.4f  plain %9.4f  thrust %9.4f  ratio %5.2f  %s %s%s\n", row.op.c_str(),
                row.key.c_str(), row.value_bytes, row.pattern.c_str(), static_cast<unsigned long long>(row.count),
                row.timing.median_s * 1e3, cub * 1e3, row.rivals.empty() ? 0 : row.rivals[1].timing.median_s * 1e3,
                row.rivals.empty() ? 0 : row.rivals[2].timing.median_s * 1e3,
                cub / row.timing.median_s, row.engine.c_str(), row.verified ? "ok" : "WRONG",
                !row.rivals.empty() && !row.rivals[0].verified ? " (cub: another order)" : "");
    std::fflush(stdout);
    report.rows.push_back(row);
    if (!output.empty()) write_json(report, output);
  }
  return all_verified(report) ? 0 : 1;
}

}  // namespace
}  // namespace lanesort::bench::cuda

int main(int argc, char** argv) {
  try {
    return lanesort::bench::cuda::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
