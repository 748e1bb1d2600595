#include "reference/course.hpp"
#include "reference/kernels.hpp"
#include "reference/move.hpp"
#include "reference/offsets.hpp"

namespace lanesort {
inline namespace v1 {
namespace reference {
namespace {

std::uint32_t count_before(const Work& work, std::uint32_t digit, std::uint64_t chunk, std::uint32_t chunks) {
  return chunk < chunks ? work.counts().load(std::uint64_t{digit} * chunks + chunk)
                        : work.control().load(contract::kControlTotals + digit);
}

std::vector<std::uint32_t> find_bases(const Work& work, const Course& course, std::uint64_t index, const Chunk& chunk) {
  std::vector<std::uint32_t> bases;
  std::uint32_t start = static_cast<std::uint32_t>(chunk.segment_begin);
  for (std::uint32_t digit = 0; digit < work.shape.radix(); ++digit) {
    const auto before = [&](std::uint64_t which) { return count_before(work, digit, which, course.groups); };
    bases.push_back(start + before(index) - before(chunk.first));
    start += before(chunk.next) - before(chunk.first);
  }
  return bases;
}

}  // namespace

void segment_scatter(const Work& work, std::uint32_t workgroup) {
  const Course course = take_course(work);
  if (!course.runs) return;
  for (std::uint64_t index = workgroup; index < course.groups; index += work.workgroups) {
    const Chunk chunk = take_chunk(work, index);
    std::vector<std::uint32_t> bases = find_bases(work, course, index, chunk);
    for (std::uint64_t begin = chunk.begin; begin < chunk.end; begin += work.shape.tile()) {
      const std::uint64_t end = std::min(begin + work.shape.tile(), chunk.end);
      scatter_tile(work, course, begin, end, first_index(work, chunk), bases);
    }
  }
}

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
