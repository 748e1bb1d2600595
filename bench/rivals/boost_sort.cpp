// Boost.Sort: spreadsort (hybrid radix), spinsort (stable), and the two parallel ones.
#include <boost/sort/sort.hpp>
#include <boost/version.hpp>

#include "bench/rivals/catalogue.hpp"
#include "bench/rivals/shapes.hpp"

namespace lanesort::bench {
namespace {

struct Spinsort {
  static constexpr bool kAllDtypes = false, kStable = true;
  static void sort(auto first, auto last, auto before, unsigned) { boost::sort::spinsort(first, last, before); }
};

struct BlockIndirectSort {
  static constexpr bool kAllDtypes = false, kStable = false;
  static void sort(auto first, auto last, auto before, unsigned threads) {
    boost::sort::block_indirect_sort(first, last, before, threads);
  }
};

struct SampleSort {
  static constexpr bool kAllDtypes = false, kStable = true;
  static void sort(auto first, auto last, auto before, unsigned threads) {
    boost::sort::sample_sort(first, last, before, threads);
  }
};

// Has an order of its own, by bits, in which NaNs of either sign stand at either end: not asked where they can occur.
struct Spreadsort {
  static constexpr bool kAllDtypes = false, kStable = false;
  template <class K>
  static void sort(K* first, K* last, auto, unsigned) {
    boost::sort::spreadsort::spreadsort(first, last);
  }
};

bool spreadsort_can(const RivalCase& request) { return !request.nan_possible && OnKeys<Spreadsort>::can(request); }

}  // namespace

void add_boost(std::vector<RivalEntry>& entries) {
  const char* const version = BOOST_LIB_VERSION;
  auto spreadsort = rival<OnKeys<Spreadsort>, Spreadsort>("boost::spreadsort", version, false);
  spreadsort.can = spreadsort_can;
  entries.push_back(spreadsort);
  entries.push_back(rival<OnKeys<Spinsort>, Spinsort>("boost::spinsort", version, false));
  entries.push_back(rival<OnKeys<BlockIndirectSort>, BlockIndirectSort>("boost::block_indirect_sort", version, true));
  entries.push_back(rival<OnKeys<SampleSort>, SampleSort>("boost::sample_sort", version, true));
  entries.push_back(rival<OnStructs<SampleSort>, SampleSort>("boost::sample_sort(structs)", version, true));
}

}  // namespace lanesort::bench
