// A trip: loads go up, are sorted, and come down, three at a time, so that both directions of the link and the sort work at
// once. The calling thread sends up and starts the sorts, a second one brings down; the calling one where there is one load.
// Where the host takes part, a third one takes loads from the end while the device takes them from the front: who is faster
// does more.
#pragma once
#include <cstdint>
#include <functional>

#include "pipeline/carrier.hpp"

namespace lanesort {
inline namespace v1 {
namespace pipeline {

struct Load {
  std::uint64_t count = 0;
  Cargo keys, values;
  std::byte* keys_to = nullptr;  // NULL: the keys stay on the device, and go with the slot
  std::byte* values_to = nullptr;
};

// Device memory of the loads that are under way.
class Slots {
 public:
  explicit Slots(Device& device);
  // Room for chunks of the plan; scratch for one of them. LANESORT_OUT_OF_MEMORY leaves nothing allocated.
  lanesort_status allocate(const plan::ChunkPlan& plan, std::uint32_t key_bytes, std::uint32_t value_bytes,
                           std::uint64_t scratch_bytes) noexcept;
  std::uint32_t count() const { return count_; }
  const Memory& keys(std::uint32_t slot) const { return keys_[slot]; }
  const Memory& values(std::uint32_t slot) const { return values_[slot]; }
  const Memory& scratch() const { return scratch_; }
  std::uint64_t scratch_bytes() const { return scratch_bytes_; }

 private:
  std::uint32_t count_ = 0;
  std::uint64_t scratch_bytes_ = 0;
  Memory keys_[plan::kChunkSlots], values_[plan::kChunkSlots], scratch_;
};

struct Trip {
  lanesort_operation operation;
  lanesort_sort_desc desc;  // order, dtype and bits; buffers are filled in
  std::uint64_t loads = 0;
  // Called once for each that goes to the device, in turn, by the calling thread, when all loads but the last
  // kChunkSlots - 1 before it are down.
  std::function<Load(std::uint64_t)> load;
  std::function<void(std::uint64_t)> prepare;  // or none; before load(), and not waiting for anything
  std::function<lanesort_status(std::uint64_t)>
      here;  // does a load on the host, any of them; or none: all go to the device
};

struct TripEnd {
  lanesort_status status = LANESORT_OK;
  std::uint64_t done = 0;  // loads that have come down whole, the first ones
  std::uint64_t here = 0;  // loads that the host has done, the last ones
};

// When it returns, whatever the status, the device does nothing more for it. The carriers are of the two ways.
TripEnd run_trip(Device& device, const Slots& slots, const Trip& trip, Carrier& up, Carrier& down) noexcept;

}  // namespace pipeline
}  // namespace v1
}  // namespace lanesort
