#include "pipeline/trip.hpp"

#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#include "api/status.hpp"

namespace lanesort {
inline namespace v1 {
namespace pipeline {
namespace {

// What the two threads tell each other. The first failure ends both, and its words are kept for the caller's thread.
class Handover {
 public:
  void sorting(const Load& load) {
    const std::lock_guard lock(mutex_);
    loads_[started_ % plan::kChunkSlots] = {load.count, {}, {}, load.keys_to, load.values_to};
    ++started_;
    changed_.notify_all();
  }
  void down() {
    const std::lock_guard lock(mutex_);
    ++done_;
    changed_.notify_all();
  }
  void fail(lanesort_status status) {
    const std::lock_guard lock(mutex_);
    if (status_ == LANESORT_OK) {
      status_ = status;
      std::snprintf(words_, sizeof words_, "%s", lanesort_last_error());
    }
    changed_.notify_all();
  }

  // Until fewer than `slots` loads are under way; false once something has failed.
  bool slot_is_free(std::uint32_t slots) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return status_ != LANESORT_OK || started_ - done_ < slots; });
    return status_ == LANESORT_OK;
  }
  // Until the i-th load is in the sort lane.
  bool load_started(std::uint64_t i, Load* load) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return status_ != LANESORT_OK || started_ > i; });
    if (status_ == LANESORT_OK) *load = loads_[i % plan::kChunkSlots];
    return status_ == LANESORT_OK;
  }

  // After both threads: the words become those of the calling one.
  TripEnd end() const {
    if (status_ != LANESORT_OK) api::fail(status_, "%s", words_);
    return {status_, done_};
  }

 private:
  std::mutex mutex_;  // guards everything here
  std::condition_variable changed_;
  Load loads_[plan::kChunkSlots];  // of each slot, without their cargo
  std::uint64_t started_ = 0, done_ = 0;
  lanesort_status status_ = LANESORT_OK;
  char words_[400] = "";
};

class Sender {
 public:
  Sender(Device& device, const Slots& slots, const Trip& trip, Handover& handover)
      : device_(device), slots_(slots), trip_(trip), handover_(handover), carrier_(device, Lane::up, trip.copies) {}

  void run() {
    for (std::uint64_t i = 0; i < trip_.loads && handover_.slot_is_free(slots_.count()); ++i) {
      const Load load = trip_.load(i);
      const lanesort_status status = send(load, static_cast<std::uint32_t>(i % slots_.count()));
      if (status != LANESORT_OK) return handover_.fail(status);
      handover_.sorting(load);
    }
  }

 private:
  lanesort_status send(const Load& load, std::uint32_t slot) {
    lanesort_status status = carrier_.up(load.keys, slots_.keys(slot).data());
    if (status == LANESORT_OK) status = carrier_.up(load.values, slots_.values(slot).data());
    if (status == LANESORT_OK) status = device_.mark(kUploaded + slot, Lane::up);
    if (status == LANESORT_OK) status = device_.wait(Lane::sort, kUploaded + slot);
    if (status == LANESORT_OK) status = device_.sort(trip_.operation, describe(load, slot));
    return status == LANESORT_OK ? device_.mark(kSorted + slot, Lane::sort) : status;
  }

  lanesort_sort_desc describe(const Load& load, std::uint32_t slot) const {
    lanesort_sort_desc desc = trip_.desc;
    const bool argsort = trip_.operation == LANESORT_OP_ARGSORT;
    desc.count = load.count;
    desc.keys_src = slots_.keys(slot).data();
    desc.keys_dst = argsort ? nullptr : slots_.keys(slot).data();
    desc.values_dst = slots_.values(slot).data();
    desc.values_src = argsort && load.values.bytes == 0 ? nullptr : desc.values_dst;
    desc.scratch = slots_.scratch().data();
    desc.scratch_bytes = slots_.scratch_bytes();
    return desc;
  }

  Device& device_;
  const Slots& slots_;
  const Trip& trip_;
  Handover& handover_;
  Carrier carrier_;
};

// Waits for each sort before anything is written for it, so that a sort that fails leaves the host's memory as it was.
void bring_down(Device& device, const Slots& slots, const Trip& trip, Carrier& carrier, Handover& handover) {
  Load load;
  for (std::uint64_t i = 0; i < trip.loads && handover.load_started(i, &load); ++i) {
    const std::uint32_t slot = static_cast<std::uint32_t>(i % slots.count());
    lanesort_status status = device.finish(kSorted + slot);
    if (status == LANESORT_OK && load.keys_to != nullptr)
      status = carrier.down(slots.keys(slot).data(), load.keys_to, load.count * lanesort_dtype_bytes(trip.desc.dtype));
    if (status == LANESORT_OK && load.values_to != nullptr)
      status = carrier.down(slots.values(slot).data(), load.values_to, load.count * trip.desc.value_bytes);
    if (status != LANESORT_OK) return handover.fail(status);
    handover.down();
  }
}

}  // namespace

Slots::Slots(Device& device)
    : keys_{Memory(device), Memory(device), Memory(device)}, values_{Memory(device), Memory(device), Memory(device)}, scratch_(device) {
  static_assert(plan::kChunkSlots == 3);
}

lanesort_status Slots::allocate(const plan::ChunkPlan& plan, std::uint32_t key_bytes, std::uint32_t value_bytes,
                                std::uint64_t scratch_bytes) noexcept {
  count_ = plan.slots;
  scratch_bytes_ = scratch_bytes;
  lanesort_status status = scratch_.allocate(scratch_bytes);
  for (std::uint32_t slot = 0; slot < plan.slots; ++slot) {
    if (status == LANESORT_OK) status = keys_[slot].allocate(plan.chunk * key_bytes);
    if (status == LANESORT_OK) status = values_[slot].allocate(plan.chunk * value_bytes);
  }
  if (status == LANESORT_OK) return status;
  scratch_.release();
  for (std::uint32_t slot = 0; slot < plan.slots; ++slot) {
    keys_[slot].release();
    values_[slot].release();
  }
  return status;
}

TripEnd run_trip(Device& device, const Slots& slots, const Trip& trip) noexcept {
  Handover handover;
  Carrier down(device, Lane::down, trip.copies);
  Sender sender(device, slots, trip, handover);
  std::thread second;
  try {
    second = std::thread([&] {
      const lanesort_status attached = device.attach();
      if (attached != LANESORT_OK) return handover.fail(attached);
      bring_down(device, slots, trip, down, handover);
      device.detach();
    });
    sender.run();
  } catch (const std::bad_alloc&) {
    handover.fail(api::fail(LANESORT_OUT_OF_MEMORY, "the host has no memory for the list of what goes to the device"));
  } catch (const std::system_error& error) {
    handover.fail(api::fail(LANESORT_OUT_OF_MEMORY, "no thread could be started to copy from the device: %s", error.what()));
  }
  if (second.joinable()) second.join();
  // Whatever came before, nothing may still run when memory goes.
  const lanesort_status ended = device.finish_all();
  if (ended != LANESORT_OK) handover.fail(ended);
  return handover.end();
}

}  // namespace pipeline
}  // namespace v1
}  // namespace lanesort
