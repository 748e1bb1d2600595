// The twins of the portable kernels, one file each, with the steps of kernels/wgsl by the same names. A call is one
// workgroup. What a workgroup does at once is done here in the order of items, so a twin says what is right and nothing
// about how it is made fast; atomics are plain, because workgroups run one after the other, in any order.
#pragma once
#include "reference/work.hpp"

namespace lanesort {
inline namespace v1 {
namespace reference {

void begin(const Work& work, std::uint32_t workgroup);
void unpack(const Work& work, std::uint32_t workgroup);
void count(const Work& work, std::uint32_t workgroup);
void scan(const Work& work, std::uint32_t workgroup);
void scatter(const Work& work, std::uint32_t workgroup);
void tally(const Work& work, std::uint32_t workgroup);
void sweep(const Work& work, std::uint32_t workgroup);
void finish(const Work& work, std::uint32_t workgroup);
void pack(const Work& work, std::uint32_t workgroup);
void small(const Work& work, std::uint32_t workgroup);
void probe(const Work& work, std::uint32_t workgroup);
void keep(const Work& work, std::uint32_t workgroup);
void cut(const Work& work, std::uint32_t workgroup);
void segment_sums(const Work& work, std::uint32_t workgroup);
void segment_list(const Work& work, std::uint32_t workgroup);
void segments(const Work& work, std::uint32_t workgroup);
void segment_count(const Work& work, std::uint32_t workgroup);
void segment_scatter(const Work& work, std::uint32_t workgroup);
void segment_finish(const Work& work, std::uint32_t workgroup);
void segment_pack(const Work& work, std::uint32_t workgroup);

// The items that a workgroup of a streaming kernel takes: blocks of a workgroup's size, a dispatch apart.
template <class Body>
void each_item(const Work& work, std::uint32_t workgroup, std::uint64_t count, Body body) {
  const std::uint64_t block = work.shape.workgroup;
  for (std::uint64_t first = workgroup * block; first < count; first += work.workgroups * block) {
    for (std::uint64_t index = first; index < count && index < first + block; ++index) body(index);
  }
}

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
