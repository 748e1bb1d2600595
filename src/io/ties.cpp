// What the keys leave open: runs of numbers that share an inexact prefix key.
//
// Invariant: outside such runs nothing is looked at twice, inside them nothing is compared quadratically often.
// A long run gets keys anew, from the digits that follow the prefix, so that texts are compared only where these
// are alike too.
#include <algorithm>

#include "io/chunk.hpp"
#include "io/text.hpp"
#include "io/workers.hpp"

namespace lanesort::io {
namespace {

struct Tail {
  std::uint64_t key;
  std::uint64_t item;
};

// item -> number: through a table of references, or the item is the reference.
class Numbers {
 public:
  Numbers(const NumberText& job, std::span<const std::uint64_t> table, bool has_table)
      : job_(job), table_(table), has_table_(has_table) {}
  std::string_view operator()(std::uint64_t item) const { return number_at(job_, has_table_ ? table_[item] : item); }
  bool before(std::string_view a, std::string_view b) const {
    return job_.rule.order == LANESORT_DESCENDING ? compare_numbers(a, b) > 0 : compare_numbers(a, b) < 0;
  }
  bool before(std::uint64_t a, std::uint64_t b) const {
    return job_.rule.order == LANESORT_DESCENDING ? a > b : a < b;
  }

 private:
  const NumberText& job_;
  std::span<const std::uint64_t> table_;
  bool has_table_;
};

void sort_by_text(const Numbers& numbers, std::span<std::uint64_t> items) {
  const auto before = [&](std::uint64_t a, std::uint64_t b) { return numbers.before(numbers(a), numbers(b)); };
  if (!std::is_sorted(items.begin(), items.end(), before)) std::stable_sort(items.begin(), items.end(), before);
}

void sort_by_tail(const Numbers& numbers, std::span<std::uint64_t> items) {
  std::vector<Tail> tails;
  tails.reserve(items.size());
  for (const std::uint64_t item : items) tails.push_back({number_tail(numbers(item), kPrefixDigits), item});
  std::stable_sort(tails.begin(), tails.end(),
                   [&](const Tail& a, const Tail& b) { return numbers.before(a.key, b.key); });
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = tails[i].item;
  for (std::size_t begin = 0, end; begin < items.size(); begin = end) {
    for (end = begin + 1; end < items.size() && tails[end].key == tails[begin].key;) ++end;
    if (end - begin > 1 && key_is_inexact(tails[begin].key)) sort_by_text(numbers, items.subspan(begin, end - begin));
  }
}

void finish_runs(const Numbers& numbers, std::span<const std::uint64_t> keys, std::span<std::uint64_t> items) {
  constexpr std::size_t kFewItems = 16;
  for (std::size_t begin = 0, end; begin < keys.size(); begin = end) {
    for (end = begin + 1; end < keys.size() && keys[end] == keys[begin];) ++end;
    if (end - begin == 1 || !key_is_inexact(keys[begin])) continue;
    const std::span<std::uint64_t> run = items.subspan(begin, end - begin);
    if (run.size() > kFewItems && key_has_digits(keys[begin])) {
      sort_by_tail(numbers, run);
    } else {
      sort_by_text(numbers, run);
    }
  }
}

// Borders of parts of a good size, where the key changes, so that no run lies in two parts.
std::vector<std::size_t> cut_parts(std::span<const std::uint64_t> keys) {
  constexpr std::size_t kPartItems = std::size_t{1} << 16;
  std::vector<std::size_t> borders = {0};
  while (borders.back() < keys.size()) {
    std::size_t at = std::min(borders.back() + kPartItems, keys.size());
    while (at < keys.size() && keys[at] == keys[at - 1]) ++at;
    borders.push_back(at);
  }
  return borders;
}

void finish_in_parts(const NumberText& job, const Numbers& numbers, std::span<const std::uint64_t> keys,
                     std::span<std::uint64_t> items) {
  const std::vector<std::size_t> borders = cut_parts(keys);
  run_tasks(job.threads, borders.size() - 1, [&](std::size_t part) {
    const std::size_t begin = borders[part];
    const std::size_t count = borders[part + 1] - begin;
    finish_runs(numbers, keys.subspan(begin, count), items.subspan(begin, count));
  });
}

}  // namespace

void resolve_ties(const NumberText& job, KeyForm form, std::span<const std::uint64_t> keys,
                  std::span<std::uint64_t> refs) {
  if (form == KeyForm::prefix) finish_in_parts(job, Numbers(job, {}, false), keys, refs);
}

void resolve_ties(const NumberText& job, KeyForm form, std::span<const std::uint64_t> keys,
                  std::span<std::uint64_t> items, std::span<const std::uint64_t> refs) {
  if (form == KeyForm::prefix) finish_in_parts(job, Numbers(job, refs, true), keys, items);
}

std::uint64_t first_unsorted(const NumberText& job, KeyForm form, std::span<const std::uint64_t> keys,
                             std::span<const std::uint64_t> refs) {
  const Numbers numbers(job, {}, false);
  for (std::size_t i = 1; i < keys.size(); ++i) {
    if (numbers.before(keys[i], keys[i - 1])) return i;
    if (form == KeyForm::exact || keys[i] != keys[i - 1] || !key_is_inexact(keys[i])) continue;
    if (numbers.before(numbers(refs[i]), numbers(refs[i - 1]))) return i;
  }
  return keys.size();
}

}  // namespace lanesort::io
