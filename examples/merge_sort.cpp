// Whatever has an order of its own: any type, any comparator, by a header alone.
#include <cstdio>
#include <functional>
#include <lanesort/merge.hpp>
#include <string>
#include <vector>

struct City {
  std::string name;
  int people;
};

int main() {
  std::vector<City> cities = {{"Bergen", 292}, {"Lund", 95}, {"Aarhus", 292}, {"Turku", 202}};
  lanesort::merge_sort(cities, std::greater<>{}, &City::people);  // stable: Bergen before Aarhus
  std::vector<City> more = {{"Malmo", 362}, {"Tampere", 260}}, all(cities.size() + more.size());
  lanesort::merge(cities, more, all, std::greater<>{}, &City::people);
  for (const City& city : all) std::printf("%s:%d ", city.name.c_str(), city.people);
  std::puts("");  // Malmo:362 Bergen:292 Aarhus:292 Tampere:260 Turku:202 Lund:95
}
