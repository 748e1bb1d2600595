#include "host_rows.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>

#include "bench/patterns.hpp"
#include "cuda/device.hpp"
#include "io/buffer.hpp"
#include "summary.hpp"

namespace lanesort::bench::cuda {
namespace {

using test::Address;
using test::Cuda;

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

class HostMemory {
 public:
  HostMemory(std::uint64_t bytes, bool pinned) : plain_(pinned ? 0 : bytes) {
    if (pinned) LANESORT_MUST(cuMemAllocHost_v2(&pinned_, bytes));
  }
  ~HostMemory() {
    if (pinned_ != nullptr) Cuda::get().cuMemFreeHost(pinned_);
  }
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  std::byte* data() const { return pinned_ != nullptr ? static_cast<std::byte*>(pinned_) : plain_.data(); }

 private:
  io::Buffer plain_;
  void* pinned_ = nullptr;
};

// So many bytes over the link, piece by piece, each way.
class Link {
 public:
  Link() : up_from_(kPiece, true), down_to_(kPiece, true) {
    LANESORT_MUST(cuMemAlloc_v2(&up_to_, kPiece));
    LANESORT_MUST(cuMemAlloc_v2(&down_from_, kPiece));
    LANESORT_MUST(cuStreamCreate(&up_, 1));
    LANESORT_MUST(cuStreamCreate(&down_, 1));
    std::memset(up_from_.data(), 1, kPiece);
    std::memset(down_to_.data(), 1, kPiece);
  }
  ~Link() {
    Cuda::get().cuMemFree_v2(up_to_);
    Cuda::get().cuMemFree_v2(down_from_);
  }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  double seconds(std::uint64_t bytes, bool at_once) {
    return seconds_of([&] {
      for (std::uint64_t done = 0; done < bytes; done += kPiece)
        LANESORT_MUST(cuMemcpyHtoDAsync_v2(up_to_, up_from_.data(), std::min(kPiece, bytes - done), up_));
      if (!at_once) LANESORT_MUST(cuStreamSynchronize(up_));
      for (std::uint64_t done = 0; done < bytes; done += kPiece)
        LANESORT_MUST(cuMemcpyDtoHAsync_v2(down_to_.data(), down_from_, std::min(kPiece, bytes - done), down_));
      LANESORT_MUST(cuStreamSynchronize(up_));
      LANESORT_MUST(cuStreamSynchronize(down_));
    });
  }

 private:
  static constexpr std::uint64_t kPiece = std::uint64_t{1} << 28;
  HostMemory up_from_, down_to_;
  Address up_to_ = 0, down_from_ = 0;
  CUstream_st *up_ = nullptr, *down_ = nullptr;
};

}  // namespace

std::vector<HostWork> list_host() {
  constexpr std::uint64_t M = 1 << 20, G = 1 << 30;
  return {{256 * M, true, 0}, {256 * M, false, 0}, {16 * M, true, 0},      {16 * M, false, 0},
          {M, true, 0},       {M, false, 0},       {256 * M, true, 2 * G}, {4 * G, true, 4 * G}, {4 * G, false, 4 * G}};
}

Row run_host(lanesort_cuda* handle, const HostWork& work, int samples) {
  const std::uint64_t bytes = work.count * 4;
  const HostMemory keys(bytes, work.pinned);
  const io::Buffer src(bytes);
  generate({"uniform", LANESORT_U32, work.count, kDefaultSeed}, {src.data(), bytes});
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.count = work.count;
  desc.keys_src = desc.keys_dst = keys.data();
  const auto fresh = [&] { std::memcpy(keys.data(), src.data(), bytes); };
  const auto ours = [&] {
    if (lanesort_cuda_run(handle, LANESORT_OP_SORT, &desc, work.device_bytes, nullptr) != LANESORT_OK) throw Error(lanesort_last_error());
  };
  // Scratch is more than the keys.
  const bool in_chunks = work.device_bytes != 0 && work.device_bytes <= 2 * bytes;

  Row row;
  row.backend = "cuda";
  row.op = "sort";
  row.key = "u32";
  row.count = work.count;
  row.pattern = "uniform";
  row.order = "ascending";
  row.form = std::string("in_place, ") + (work.pinned ? "pinned" : "pageable") + " host memory";
  row.engine = in_chunks ? "host, in " + std::to_string(work.device_bytes >> 20) + " MiB" : "host";
  fresh();
  ours();
  lanesort_verdict verdict = LANESORT_VERDICT_INIT;
  lanesort_sort_desc judged = desc;
  judged.keys_src = src.data();
  row.verified = lanesort_verify(LANESORT_OP_SORT, &judged, &verdict) == LANESORT_OK && verdict.good == 1;
  Link link;
  std::vector<double> mine, alone;
  for (int s = 0; s < samples; ++s) {
    fresh();
    mine.push_back(seconds_of(ours));
    alone.push_back(in_chunks ? link.seconds(bytes, true) + link.seconds(bytes, true) : link.seconds(bytes, false));
  }
  row.timing = summary(mine);
  row.keys_per_s = static_cast<double>(work.count) / row.timing.median_s;
  row.rivals.push_back({in_chunks ? "link alone, two trips" : "link alone", "", summary(alone), true, ""});
  return row;
}

}  // namespace lanesort::bench::cuda
