// What a dispatch has to do: the twin of kernels/wgsl/course.wgsl.
#pragma once
#include "reference/work.hpp"

namespace lanesort {
inline namespace v1 {
namespace reference {

struct Course {
  std::uint32_t count = 0, groups = 0;
  bool runs = false;
  std::uint32_t nth = 0, pass_total = 0;
};

Course take_course(const Work& work);

std::uint32_t side_written(const Course& course, std::uint32_t nth, bool in_place);
std::uint32_t side_read(const Course& course, bool in_place);

// The tiles [begin, end) of workgroup `group`.
struct Tiles {
  std::uint64_t begin, end;
};
Tiles tiles_of(const Work& work, const Course& course, std::uint32_t group);

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
