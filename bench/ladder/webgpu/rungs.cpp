#include "bench/ladder/webgpu/rungs.hpp"

#include <bit>

#include "bench/ladder/webgpu/recipes.hpp"

namespace lanesort::bench::ladder_webgpu {
namespace {

constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 31;  // of 32-bit places

double log2_up(double count) {
  return std::countr_zero(std::bit_ceil(static_cast<std::uint64_t>(count < 1 ? 1 : count)));
}

DeviceRung chunk_sort() {
  return {{.name = "chunks, 2 bits a round",
           .backend = "webgpu",
           .idea = "The tutorials' sort: two bits a round, keys with their ids, ranked in chunks of 512 by four scans.",
           .time = "16 n, at a barrier a step of the scan",
           .space = "3 n words and the ids",
           .traffic = "28 bytes a round and item of key and id",
           .launches = "48",
           .limits = "262,144 keys: one workgroup scans the totals of all chunks",
           .source = "wgsl/chunk_sort.wgsl; Blelloch, 1990; Harris, Sengupta and Owens, 2007",
           .bytes_per_key = [](double, double) { return 16.0 * 28; }},
          kChunkSortKeys,
          chunk_sort_recipe};
}

DeviceRung bitonic_global() {
  return {{.name = "bitonic",
           .backend = "webgpu",
           .idea = "A network of exchanges, every column of it a dispatch over all keys.",
           .time = "n log^2 n",
           .space = "none",
           .traffic = "a read and a write a column",
           .launches = "log n (log n + 1) / 2",
           .limits = "not stable",
           .source = "wgsl/bitonic_global.wgsl; Batcher, 1968",
           .bytes_per_key =
               [](double key_bytes, double count) {
                 const double runs = log2_up(count);
                 return 2 * key_bytes * runs * (runs + 1) / 2;
               }},
          kNoLimit,
          bitonic_global_recipe};
}

DeviceRung bitonic_shared() {
  return {{.name = "bitonic, workgroup memory",
           .backend = "webgpu",
           .idea = "The same network, its columns of short strides in tiles of 4096 keys.",
           .time = "n log^2 n",
           .space = "none",
           .traffic = "a read and a write a tile sort, a long column, an end of a merge",
           .launches = "1 + t + t (t + 1) / 2, t = log2(n / 4096)",
           .limits = "not stable",
           .source = "wgsl/bitonic_shared.wgsl; Batcher, 1968",
           .bytes_per_key =
               [](double key_bytes, double count) {
                 const double runs = count > 4096 ? log2_up(count) - 12 : 0;
                 return 2 * key_bytes * (1 + runs + runs * (runs + 1) / 2);
               }},
          kNoLimit,
          bitonic_shared_recipe};
}

template <Layout kLayout, std::uint32_t kRounds>
DeviceRung radix(const char* name, const char* idea, const char* launches) {
  // Of a word of a histogram. Count writes it and scatter reads it; a scan by digits reads and writes it twice, one of
  // histograms reads two and writes one on the way up and again on the way down.
  static constexpr double kWords = kLayout == Layout::digit_major ? 2 + 4 : 2 + 6;
  return {{.name = name,
           .backend = "webgpu",
           .idea = idea,
           .time = "4 n",
           .space = kRounds == 1 ? "n keys and as many counts" : "n keys and a count for 16",
           .traffic = "two reads and a write a pass, and the histograms'",
           .launches = launches,
           .limits = "the histograms in one buffer; a key's write is a piece of a cache line",
           .source = "wgsl/radix_three_kernels.wgsl; Satish, Harris and Garland, 2009; Blelloch, 1990",
           .bytes_per_key = [](double key_bytes, double) { return 4 * (3 * key_bytes + 4 * kWords / kRounds); }},
          kNoLimit,
          [](std::uint64_t count) { return radix_recipe(kLayout, kRounds, count); },
          [](std::uint64_t count) { return radix_histograms(kRounds, count); }};
}

Rung lanesort_form(const char* name, const char* idea, const char* traffic, const char* launches, const char* limits) {
  return {.name = name,
          .backend = "webgpu",
          .idea = idea,
          .time = "n times the bytes of a key at most",
          .space = "n keys",
          .traffic = traffic,
          .launches = launches,
          .limits = limits,
          .source = "docs/webgpu-notes.md"};
}

}  // namespace

std::vector<DeviceRung> device_rungs() {
  return {chunk_sort(),
          bitonic_global(),
          bitonic_shared(),
          radix<Layout::digit_major, 1>("radix by digit, 256", "Count, scan, scatter; histograms of 256 keys digit by digit.",
                                        "5 a pass and more"),
          radix<Layout::group_major, 1>("radix by workgroup, 256",
                                        "The same, histogram by histogram, scanned up and down a tree.",
                                        "2 + 2 log2(workgroups) a pass"),
          radix<Layout::digit_major, 16>("radix by digit, 16x256",
                                         "Count, scan, scatter; histograms of 4096 keys digit by digit.",
                                         "5 a pass and more"),
          radix<Layout::group_major, 16>("radix by workgroup, 16x256",
                                         "The same, histogram by histogram, scanned up and down a tree.",
                                         "2 + 2 log2(workgroups) a pass")};
}

std::vector<Rung> lanesort_rungs() {
  return {lanesort_form("lanesort, reduce then scan",
                        "Three kernels a digit; keys put in order in the workgroup before they are written; workgroups "
                        "share the tiles, so that there are few counts.",
                        "12 bytes a key and pass", "2 and 3 a pass", "no workgroup waits for another"),
          lanesort_form("lanesort, single pass",
                        "One kernel a digit: a workgroup looks back at what those before it told, and counts for them "
                        "what they have not.",
                        "8 bytes a key and pass, and 4 once", "3 and 1 a pass", "below 2^30 keys"),
          lanesort_form("lanesort", "Whichever of the two forms is known to be faster; up to a tile of keys, one workgroup.",
                        "as that form", "as that form", "memory as large as the keys")};
}

}  // namespace lanesort::bench::ladder_webgpu
