// The rivals' shared object, opened once a process.
#pragma once
#include <span>
#include <string>

#include "bench/rivals/rival.hpp"

namespace lanesort::bench {

struct Rivals {
  std::span<const RivalEntry> entries;
  std::string trouble;  // why there are none: the places that were looked at, or what the loader said
};

const Rivals& installed_rivals();

}  // namespace lanesort::bench
