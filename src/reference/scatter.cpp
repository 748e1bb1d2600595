#include <algorithm>
#include <vector>

#include "reference/course.hpp"
#include "reference/kernels.hpp"
#include "reference/move.hpp"

namespace lanesort {
inline namespace v1 {
namespace reference {
namespace {

// Where the group's next item of each digit goes.
std::vector<std::uint32_t> find_bases(const Work& work, const Course& course, std::uint64_t group) {
  std::vector<std::uint32_t> bases;
  std::uint32_t start = 0;
  for (std::uint32_t digit = 0; digit < work.shape.radix(); ++digit) {
    bases.push_back(start + work.counts().load(std::uint64_t{digit} * course.groups + group));
    start += work.control().load(contract::kControlTotals + digit);
  }
  return bases;
}

}  // namespace

void scatter(const Work& work, std::uint32_t workgroup) {
  const Course course = take_course(work);
  if (!course.runs) return;
  for (std::uint64_t group = workgroup; group < course.groups; group += work.workgroups) {
    std::vector<std::uint32_t> bases = find_bases(work, course, group);
    const Tiles tiles = tiles_of(work, course, static_cast<std::uint32_t>(group));
    for (std::uint64_t tile = tiles.begin; tile < tiles.end; ++tile) {
      const std::uint64_t begin = tile * work.shape.tile();
      const std::uint64_t end = std::min<std::uint64_t>(begin + work.shape.tile(), course.count);
      scatter_tile(work, course, begin, end, 0, bases);
    }
  }
}

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
