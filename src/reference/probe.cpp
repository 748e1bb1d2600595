#include <algorithm>
#include <vector>

#include "reference/choice.hpp"
#include "reference/course.hpp"
#include "reference/kernels.hpp"

namespace lanesort {
inline namespace v1 {
namespace reference {
namespace {

Choice take_choice(const Work& work, std::uint32_t count) {
  return work.step.pass_index == 0 ? Choice{0, 0, 0, count} : load_choice(work, work.step.pass_index - 1);
}

// The digit that the pass before counted: the bin that holds the k-th key.
std::uint32_t choose(const Work& work, Choice& choice) {
  const std::uint32_t before = work.step.pass_index - 1, radix = work.shape.radix();
  for (std::uint32_t digit = 0; digit < radix; ++digit) {
    choice.inside = work.control().load(contract::kControlTotals + before * radix + digit);
    if (work.step.kept <= choice.less + choice.inside) {
      const std::uint32_t shift =
          work.step.bit_begin + (work.step.pass_count - work.step.pass_index) * work.shape.radix_bits;
      choice.prefix |= std::uint64_t{digit} << shift;
      choice.mask = range_of(work.step);
      return digit;
    }
    choice.less += choice.inside;
  }
  return radix;  // the totals are fewer than k: no plan lets that be
}

void settle(const Work& work, std::uint64_t group, std::uint32_t groups, std::uint32_t digit) {
  for (std::uint64_t lower = 0; lower < digit; ++lower)
    work.counts().add(less_of(work, group), work.counts().load(lower * groups + group));
  work.counts().store(inside_of(work, group), work.counts().load(std::uint64_t{digit} * groups + group));
}

void count_keys(const Work& work, std::uint64_t begin, std::uint64_t end, const Choice& choice,
                std::vector<std::uint32_t>& histogram) {
  for (std::uint64_t i = begin; i < end; ++i) {
    const std::uint64_t mapped = key_order(work.step, source_key(work, i));
    if ((mapped & range_of(work.step)) == choice.prefix) ++histogram[key_digit(work.step, mapped)];
  }
}

void write_counts(const Work& work, std::uint64_t group, std::uint32_t groups,
                  const std::vector<std::uint32_t>& histogram) {
  for (std::uint64_t digit = 0; digit < histogram.size(); ++digit) {
    work.counts().store(digit * groups + group, histogram[digit]);
    work.control().add(contract::kControlTotals + work.step.pass_index * histogram.size() + digit, histogram[digit]);
  }
}

}  // namespace

void probe(const Work& work, std::uint32_t workgroup) {
  const Course course = take_course(work);
  Choice choice = take_choice(work, course.count);
  const bool counted = work.step.pass_index != 0 && !fits(work, choice);
  const bool last = work.step.pass_index == work.step.pass_count;
  const std::uint32_t digit = counted ? choose(work, choice) : 0;
  for (std::uint64_t group = workgroup; group < course.groups; group += work.workgroups) {
    const Tiles tiles = tiles_of(work, course, static_cast<std::uint32_t>(group));
    const std::uint64_t begin = std::min<std::uint64_t>(tiles.begin * work.shape.tile(), course.count);
    const std::uint64_t end = std::min<std::uint64_t>(tiles.end * work.shape.tile(), course.count);
    if (work.step.pass_index == 0) {
      work.counts().store(less_of(work, group), 0);
      work.counts().store(inside_of(work, group), static_cast<std::uint32_t>(end - begin));
    }
    if (counted) settle(work, group, course.groups, digit);
    if (last || fits(work, choice)) continue;
    std::vector<std::uint32_t> histogram(work.shape.radix());
    count_keys(work, begin, end, choice, histogram);
    write_counts(work, group, course.groups, histogram);
  }
  if (workgroup != 0) return;
  store_choice(work, work.step.pass_index, choice);
  if (last) work.control().store(contract::kControlKept, kept_of(work, choice));
}

}  // namespace reference
}  // namespace v1
}  // namespace lanesort
