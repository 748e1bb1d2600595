// What the keys leave open: runs of numbers that share an inexact prefix key.
//
// Invariant: outside such runs nothing is looked at twice, inside them nothing is compared quadratically often.
// A long run gets keys anew, from what follows in its numbers, and so do the runs in that; texts are compared as a
// whole in short runs only, and in very long numbers.
#include <algorithm>

#include "io/chunk.hpp"
#include "io/text.hpp"
#include "io/workers.hpp"

namespace lanesort::io {
namespace {

struct Tail {
  std::uint64_t key;
  std::uint64_t ref;
};

class Numbers {
 public:
  explicit Numbers(const NumberText& job) : job_(job) {}
  std::string_view operator()(std::uint64_t ref) const { return number_at(job_, ref); }
  bool before(std::string_view a, std::string_view b) const {
    return job_.rule.order == LANESORT_DESCENDING ? compare_numbers(a, b) > 0 : compare_numbers(a, b) < 0;
  }
  bool before(std::uint64_t a, std::uint64_t b) const { return job_.rule.order == LANESORT_DESCENDING ? a > b : a < b; }

 private:
  const NumberText& job_;
};

void sort_by_text(const Numbers& numbers, std::span<std::uint64_t> refs) {
  const auto before = [&](std::uint64_t a, std::uint64_t b) { return numbers.before(numbers(a), numbers(b)); };
  if (!std::is_sorted(refs.begin(), refs.end(), before)) std::stable_sort(refs.begin(), refs.end(), before);
}

// The keys of one step, sorted, and with them the references. Equal keys stay in the order of the text by what their
// references say, so that the sort itself takes no memory beyond the tails.
template <class MakeKey>
void sort_by_key(const Numbers& numbers, std::span<std::uint64_t> keys, std::span<std::uint64_t> refs,
                 const MakeKey& make_key) {
  std::vector<Tail> tails;
  tails.reserve(refs.size());
  for (const std::uint64_t ref : refs) tails.push_back({make_key(numbers(ref)), ref});
  std::sort(tails.begin(), tails.end(), [&](const Tail& a, const Tail& b) {
    return a.key != b.key ? numbers.before(a.key, b.key) : reference_offset(a.ref) < reference_offset(b.ref);
  });
  for (std::size_t i = 0; i < refs.size(); ++i) {
    keys[i] = tails[i].key;
    refs[i] = tails[i].ref;
  }
}

void finish_runs(const Numbers& numbers, std::span<std::uint64_t> keys, std::span<std::uint64_t> refs,
                 std::uint64_t skipped_digits);

// A run whose keys leave off behind so many digits. Digits are looked for from the first one on each time, so after
// some steps the rest goes by whole texts.
void finish_run(const Numbers& numbers, std::span<std::uint64_t> keys, std::span<std::uint64_t> refs,
                std::uint64_t skipped_digits) {
  constexpr std::size_t kFewNumbers = 16;
  constexpr std::uint64_t kManyDigits = 200;
  if (refs.size() <= kFewNumbers || skipped_digits > kManyDigits) return sort_by_text(numbers, refs);
  if (skipped_digits == kPrefixDigits && !key_has_digits(keys.front())) {
    sort_by_key(numbers, keys, refs, [](std::string_view number) { return exponent_key(number); });
    return finish_runs(numbers, keys, refs, 0);
  }
  sort_by_key(numbers, keys, refs, [&](std::string_view number) { return tail_key(number, skipped_digits); });
  finish_runs(numbers, keys, refs, skipped_digits + kTailDigits);
}

void finish_runs(const Numbers& numbers, std::span<std::uint64_t> keys, std::span<std::uint64_t> refs,
                 std::uint64_t skipped_digits) {
  for (std::size_t begin = 0, end; begin < keys.size(); begin = end) {
    for (end = begin + 1; end < keys.size() && keys[end] == keys[begin];) ++end;
    if (end - begin == 1 || !key_is_inexact(keys[begin])) continue;
    finish_run(numbers, keys.subspan(begin, end - begin), refs.subspan(begin, end - begin), skipped_digits);
  }
}

// Borders of parts of a good size, where the key changes, so that no run lies in two parts.
std::vector<std::size_t> cut_parts(std::span<const std::uint64_t> keys) {
  constexpr std::size_t kPartNumbers = std::size_t{1} << 16;
  std::vector<std::size_t> borders = {0};
  while (borders.back() < keys.size()) {
    std::size_t at = std::min(borders.back() + kPartNumbers, keys.size());
    while (at < keys.size() && keys[at] == keys[at - 1]) ++at;
    borders.push_back(at);
  }
  return borders;
}

void finish_in_parts(const NumberText& job, const Numbers& numbers, std::span<std::uint64_t> keys,
                     std::span<std::uint64_t> refs) {
  const std::vector<std::size_t> borders = cut_parts(keys);
  run_tasks(job.threads, borders.size() - 1, [&](std::size_t part) {
    const std::size_t begin = borders[part];
    const std::size_t count = borders[part + 1] - begin;
    finish_runs(numbers, keys.subspan(begin, count), refs.subspan(begin, count), kPrefixDigits);
  });
}

}  // namespace

void resolve_ties(const NumberText& job, KeyForm form, std::span<std::uint64_t> keys, std::span<std::uint64_t> refs) {
  if (form == KeyForm::prefix) finish_in_parts(job, Numbers(job), keys, refs);
}

std::uint64_t first_unsorted(const NumberText& job, KeyForm form, std::span<const std::uint64_t> keys,
                             std::span<const std::uint64_t> refs) {
  const Numbers numbers(job);
  for (std::size_t i = 1; i < keys.size(); ++i) {
    if (numbers.before(keys[i], keys[i - 1])) return i;
    if (form == KeyForm::exact || keys[i] != keys[i - 1] || !key_is_inexact(keys[i])) continue;
    if (numbers.before(numbers(refs[i]), numbers(refs[i - 1]))) return i;
  }
  return keys.size();
}

}  // namespace lanesort::io
