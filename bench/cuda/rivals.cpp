#include "cuda/rivals.hpp"

namespace lanesort::bench::cuda {

bool sort_by_rival_u8(RivalCall&);
bool sort_by_rival_u16(RivalCall&);
bool sort_by_rival_u32(RivalCall&);
bool sort_by_rival_u64(RivalCall&);
bool sort_by_rival_f32(RivalCall&);

bool sort_by_rival(RivalCall& call) {
  switch (call.key) {
    case KeyType::u8:
      return sort_by_rival_u8(call);
    case KeyType::u16:
      return sort_by_rival_u16(call);
    case KeyType::u32:
      return sort_by_rival_u32(call);
    case KeyType::u64:
      return sort_by_rival_u64(call);
    case KeyType::f32:
      return sort_by_rival_f32(call);
  }
  return false;
}

const char* cub_version() { return LANESORT_CUB_VERSION; }

}  // namespace lanesort::bench::cuda
