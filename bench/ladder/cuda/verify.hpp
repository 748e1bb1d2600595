#pragma once
#include "bench/ladder/cuda/device_rung.hpp"

namespace lanesort::bench::device {

struct KeysFound {
  u64 falls = 0;  // keys that are less than the one before
  u64 sum = 0;    // of hashes; the same for the same keys in any order
};

// room: on the device, of this size. Waits for the stream.
KeysFound find_keys(Work& work, const void* keys, u64* room);

}  // namespace lanesort::bench::device
