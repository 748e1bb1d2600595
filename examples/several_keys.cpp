// Several keys by successive argsorts, the least important first: each is stable, so ties keep the order made before.
#include <cstdint>
#include <cstdio>
#include <lanesort/lanesort.hpp>
#include <vector>

using Order = std::vector<std::uint32_t>;

// Sorts by these keys what is in the order given; equal ones stay in it.
template <class Keys>
bool sort_by(const Keys& keys, Order& order, lanesort::Order direction) {
  std::vector<lanesort::ItemOf<Keys>> in_order;
  for (const std::uint32_t i : order) in_order.push_back(keys[i]);
  Order sorted(order.size());
  if (lanesort::argsort(in_order, order, sorted, {.order = direction}) != lanesort::Status::ok) return false;
  order.swap(sorted);
  return true;
}

int main() {
  const std::vector<std::uint8_t> team = {2, 1, 2, 1, 2, 1};
  const std::vector<float> score = {5.5f, 7.0f, 5.5f, 6.0f, 8.0f, 7.0f};
  const std::vector<std::uint16_t> year = {2019, 2021, 2015, 2020, 2018, 2017};
  Order order = {0, 1, 2, 3, 4, 5};  // by team, in it the best score first, then by year
  const bool good = sort_by(year, order, lanesort::Order::ascending) &&
                    sort_by(score, order, lanesort::Order::descending) &&
                    sort_by(team, order, lanesort::Order::ascending);
  if (!good) return std::puts(lanesort::last_error()), 1;
  for (const std::uint32_t i : order) std::printf("%u:%d/%g/%d ", i, team[i], score[i], year[i]);
  std::puts("");  // 5:1/7/2017 1:1/7/2021 3:1/6/2020 4:2/8/2018 2:2/5.5/2015 0:2/5.5/2019
}
