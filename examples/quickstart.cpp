#include <cstdint>
#include <cstdio>
#include <lanesort/lanesort.hpp>

int main() {
  const float scores[] = {0.5f, 0.9f, 0.5f, 0.7f};
  std::uint32_t ranking[4];
  const lanesort::Options options{.order = lanesort::Order::descending};
  const auto status = lanesort::argsort(scores, ranking, options);
  if (status != lanesort::Status::ok) return std::puts(lanesort::last_error()), 1;
  for (std::uint32_t i : ranking) std::printf("%u:%g ", i, scores[i]);  // 1:0.9 3:0.7 0:0.5 2:0.5
  std::puts("");
}
