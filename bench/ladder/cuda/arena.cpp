#include "bench/ladder/cuda/arena.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "bench/machine.hpp"
#include "bench/patterns.hpp"

namespace lanesort::bench::device {
namespace {

// Up to so many keys a result is compared byte by byte with std::sort's; above, order and a sum of hashes tell.
constexpr u64 kMostCompared = u64{1} << 20;

void must(cudaError_t error) {
  if (error != cudaSuccess) throw Error(std::string("CUDA: ") + cudaGetErrorString(error));
}

class OnDevice {
 public:
  explicit OnDevice(u64 bytes) { must(cudaMalloc(&data_, std::max<u64>(bytes, 256))); }
  ~OnDevice() { cudaFree(data_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
};

class OnHost {
 public:
  OnHost(u64 bytes, bool pinned) {
    if (pinned)
      must(cudaMallocHost(&pinned_, std::max<u64>(bytes, 1)));
    else
      plain_ = Buffer(bytes);
  }
  ~OnHost() {
    if (pinned_ != nullptr) cudaFreeHost(pinned_);
  }
  OnHost(const OnHost&) = delete;
  OnHost& operator=(const OnHost&) = delete;
  std::byte* data() const { return pinned_ != nullptr ? static_cast<std::byte*>(pinned_) : plain_.data(); }

 private:
  void* pinned_ = nullptr;
  Buffer plain_;
};

double seconds_between(cudaEvent_t begin, cudaEvent_t end) {
  float milliseconds = 0;
  must(cudaEventElapsedTime(&milliseconds, begin, end));
  return static_cast<double>(milliseconds) * 1e-3;
}

struct Clock {
  cudaStream_t stream = nullptr;
  cudaEvent_t begin = nullptr, end = nullptr;
  Clock() {
    must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    must(cudaEventCreate(&begin));
    must(cudaEventCreate(&end));
  }
  ~Clock() {
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    cudaStreamDestroy(stream);
  }
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
};

template <class K>
void sort_on_host(std::byte* keys, u64 count) {
  std::sort(reinterpret_cast<K*>(keys), reinterpret_cast<K*>(keys) + count);
}

}  // namespace

struct Arena::Memory {
  Memory(u64 bytes, u64 most_scratch_bytes, bool pinned)
      : host_src(bytes, pinned), host_dst(bytes, pinned), src(bytes), keys(bytes), other(bytes), scratch(most_scratch_bytes),
        answers(256), scratch_bytes(most_scratch_bytes) {}
  u32* fault() const { return static_cast<u32*>(answers.data()); }
  u64* room() const { return static_cast<u64*>(answers.data()) + 16; }

  OnHost host_src, host_dst;
  OnDevice src, keys, other, scratch, answers;
  u64 scratch_bytes;
  std::vector<std::byte> sorted;  // where results are compared
  KeysFound input;
  Clock clock;
};

Arena::Arena(lanesort_dtype dtype, u64 count, const std::string& pattern, u64 seed, u64 scratch_bytes, bool pinned)
    : dtype_(dtype), key_bytes_(lanesort_dtype_bytes(dtype)), count_(count),
      memory_(std::make_unique<Memory>(count * key_bytes_, scratch_bytes, pinned)) {
  Memory& m = *memory_;
  const u64 bytes = count * key_bytes_;
  generate({pattern, dtype, count, seed}, {m.host_src.data(), bytes});
  must(cudaMemcpyAsync(m.src.data(), m.host_src.data(), bytes, cudaMemcpyHostToDevice, m.clock.stream));
  Work work{.key_bytes = key_bytes_, .count = count, .stream = m.clock.stream};
  m.input = find_keys(work, m.src.data(), m.room());
  if (count > kMostCompared) return;
  m.sorted.assign(m.host_src.data(), m.host_src.data() + bytes);
  dtype == LANESORT_U8 ? sort_on_host<u8>(m.sorted.data(), count) : sort_on_host<u32>(m.sorted.data(), count);
}

Arena::~Arena() = default;

std::string Arena::fault_of(const void* sorted) {
  Memory& m = *memory_;
  u32 gave_up = 0;
  must(cudaMemcpyAsync(&gave_up, m.fault(), sizeof gave_up, cudaMemcpyDeviceToHost, m.clock.stream));
  Work work{.key_bytes = key_bytes_, .count = count_, .stream = m.clock.stream};
  const KeysFound found = find_keys(work, sorted, m.room());
  if (gave_up != 0) return "it gave up waiting";
  if (found.falls != 0) return std::to_string(found.falls) + " keys are less than the one before";
  if (found.sum != m.input.sum) return "they are other keys";
  if (m.sorted.empty()) return {};
  std::vector<std::byte> got(m.sorted.size());
  must(cudaMemcpyAsync(got.data(), sorted, got.size(), cudaMemcpyDeviceToHost, m.clock.stream));
  must(cudaStreamSynchronize(m.clock.stream));
  return got == m.sorted ? "" : "they are not what std::sort says";
}

// Nothing of an earlier run is left where a result may be looked for.
Run Arena::run(const DeviceRung& rung, Kind kind) {
  Memory& m = *memory_;
  const u64 bytes = count_ * key_bytes_;
  Watch watch;
  Work work{.key_bytes = key_bytes_, .count = count_, .keys = m.keys.data(), .other = m.other.data(),
            .scratch = static_cast<std::byte*>(m.scratch.data()), .scratch_bytes = m.scratch_bytes, .fault = m.fault(), .stream = m.clock.stream,
            .scans = kind == Kind::with_scans ? &watch : nullptr};
  must(cudaMemsetAsync(m.other.data(), 0xCD, bytes, m.clock.stream));
  must(cudaMemsetAsync(m.fault(), 0, sizeof(u32), m.clock.stream));
  if (kind == Kind::with_transfers)
    must(cudaMemsetAsync(m.keys.data(), 0xCD, bytes, m.clock.stream));
  else
    must(cudaMemcpyAsync(m.keys.data(), m.src.data(), bytes, cudaMemcpyDeviceToDevice, m.clock.stream));
  must(cudaStreamSynchronize(m.clock.stream));
  if (kind == Kind::with_transfers) std::memset(m.host_dst.data(), 0xCD, std::min(bytes, u64{1} << 24));  // enough to be missed

  const double begin_s = seconds_now();
  if (kind == Kind::with_transfers)
    must(cudaMemcpyAsync(m.keys.data(), m.host_src.data(), bytes, cudaMemcpyHostToDevice, m.clock.stream));
  must(cudaEventRecord(m.clock.begin, m.clock.stream));
  const void* const sorted = rung.sort(work);
  must(cudaEventRecord(m.clock.end, m.clock.stream));
  if (kind == Kind::with_transfers)
    must(cudaMemcpyAsync(m.host_dst.data(), sorted, bytes, cudaMemcpyDeviceToHost, m.clock.stream));
  must(cudaStreamSynchronize(m.clock.stream));
  const double end_s = seconds_now();

  Run run{.seconds = seconds_between(m.clock.begin, m.clock.end), .fault = {}, .launches = work.launches};
  if (kind == Kind::with_transfers) run.seconds = end_s - begin_s;
  for (const auto& [begin, end] : watch.spans) {
    run.scans_s += seconds_between(begin, end);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
  }
  run.fault = fault_of(sorted);
  if (run.fault.empty() && kind == Kind::with_transfers) run.fault = host_fault_of();
  return run;
}

// Is host_dst the sorted keys? The device looks at them too: it is there, and quick.
std::string Arena::host_fault_of() {
  Memory& m = *memory_;
  must(cudaMemsetAsync(m.fault(), 0, sizeof(u32), m.clock.stream));
  must(cudaMemcpyAsync(m.other.data(), m.host_dst.data(), count_ * key_bytes_, cudaMemcpyHostToDevice, m.clock.stream));
  const std::string fault = fault_of(m.other.data());
  return fault.empty() ? "" : "on the host " + fault;
}

Run Arena::run_on_host(const RivalEntry& entry) {
  const Memory& m = *memory_;
  std::memcpy(m.host_dst.data(), m.host_src.data(), count_ * key_bytes_);
  const RivalCase request{LANESORT_OP_SORT, dtype_, LANESORT_ASCENDING, 0, 1, false, count_};
  const double begin = seconds_now();
  const bool done = entry.run(request, nullptr, m.host_dst.data());
  Run run{.seconds = seconds_now() - begin, .fault = {}};
  run.fault = done ? host_fault_of() : "it gave up";
  return run;
}

Run Arena::run_lanesort_on_host() {
  const Memory& m = *memory_;
  std::memcpy(m.host_dst.data(), m.host_src.data(), count_ * key_bytes_);
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.dtype = dtype_;
  desc.count = count_;
  desc.keys_src = desc.keys_dst = m.host_dst.data();
  const double begin = seconds_now();
  const bool done = lanesort_sort(&desc) == LANESORT_OK;
  Run run{.seconds = seconds_now() - begin, .fault = {}};
  run.fault = done ? host_fault_of() : lanesort_last_error();
  return run;
}

DeviceWords device_words() {
  cudaDeviceProp properties{};
  must(cudaGetDeviceProperties(&properties, 0));
  must(cudaFree(nullptr));  // makes its context the current one
  int version = 0;
  must(cudaDriverGetVersion(&version));
  return {properties.name, "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10)};
}

u64 device_free_bytes() {
  std::size_t free = 0, all = 0;
  must(cudaMemGetInfo(&free, &all));
  return free;
}

double device_copy_bytes_per_s() {
  const u64 bytes = std::min(u64{1} << 30, device_free_bytes() / 8);
  const OnDevice from(bytes), to(bytes);
  const Clock clock;
  std::vector<double> seconds;
  for (int i = 0; i < 11; ++i) {
    must(cudaEventRecord(clock.begin, clock.stream));
    must(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, clock.stream));
    must(cudaEventRecord(clock.end, clock.stream));
    must(cudaStreamSynchronize(clock.stream));
    seconds.push_back(seconds_between(clock.begin, clock.end));
  }
  std::sort(seconds.begin(), seconds.end());
  return 2.0 * static_cast<double>(bytes) / seconds[seconds.size() / 2];
}

SumRuns time_prefix_sum(u64 count, int runs) {
  std::vector<u32> words(count), got(count);
  generate({"uniform", LANESORT_U32, count, kDefaultSeed}, std::as_writable_bytes(std::span(words)));
  const OnDevice src(count * 4), dst(count * 4), sums(prefix_sum_bytes(count));
  must(cudaMemcpy(src.data(), words.data(), count * 4, cudaMemcpyHostToDevice));
  std::exclusive_scan(words.begin(), words.end(), words.begin(), 0u);
  const Clock clock;
  SumRuns done;
  for (int i = 0; i <= runs && done.fault.empty(); ++i) {  // the first one is not timed
    must(cudaMemcpyAsync(dst.data(), src.data(), count * 4, cudaMemcpyDeviceToDevice, clock.stream));
    Work work{.stream = clock.stream};
    must(cudaEventRecord(clock.begin, clock.stream));
    prefix_sum(work, static_cast<u32*>(dst.data()), count, 0, static_cast<u32*>(sums.data()));
    must(cudaEventRecord(clock.end, clock.stream));
    must(cudaMemcpyAsync(got.data(), dst.data(), count * 4, cudaMemcpyDeviceToHost, clock.stream));
    must(cudaStreamSynchronize(clock.stream));
    if (i != 0) done.seconds.push_back(seconds_between(clock.begin, clock.end));
    if (got != words) done.fault = "not what std::exclusive_scan says";
  }
  return done;
}

}  // namespace lanesort::bench::device
