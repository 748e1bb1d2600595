#include "pipeline/trip.hpp"

#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#include "api/status.hpp"
#include "trace/phase.hpp"

namespace lanesort {
inline namespace v1 {
namespace pipeline {
namespace {

// What the two threads tell each other. The first failure ends both, and its words are kept for the caller's thread.
class Handover {
 public:
  explicit Handover(std::uint64_t loads) : back_(loads) {}

  // The next load for the device; false when there is none.
  bool take_front(std::uint64_t* i) {
    const std::lock_guard lock(mutex_);
    if (status_ != LANESORT_OK || front_ == back_) return false;
    *i = front_++;
    return true;
  }
  // The last one for the host; none that, by the rates so far, the device will have done with all that is left before the
  // host has done one.
  bool take_back(std::uint64_t* i) {
    const std::lock_guard lock(mutex_);
    if (status_ != LANESORT_OK || front_ == back_) return false;
    const std::uint64_t left = back_ - done_;
    if (here_ != 0 && done_ > left * here_) return false;
    *i = --back_;
    return true;
  }
  void done_here() {
    const std::lock_guard lock(mutex_);
    ++here_;
  }
  // The device gets no more loads.
  void all_sent() {
    const std::lock_guard lock(mutex_);
    all_sent_ = true;
    changed_.notify_all();
  }

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
  // Until the i-th load is in the sort lane; false if it never will be.
  bool load_started(std::uint64_t i, Load* load) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return status_ != LANESORT_OK || started_ > i || all_sent_; });
    if (status_ != LANESORT_OK || started_ <= i) return false;
    *load = loads_[i % plan::kChunkSlots];
    return true;
  }

  // After both threads: the words become those of the calling one.
  TripEnd end() const {
    if (status_ != LANESORT_OK) api::fail(status_, "%s", words_);
    return {status_, done_, here_};
  }

 private:
  std::mutex mutex_;  // guards everything here
  std::condition_variable changed_;
  Load loads_[plan::kChunkSlots];  // of each slot, without their cargo
  std::uint64_t started_ = 0, done_ = 0, here_ = 0;
  std::uint64_t front_ = 0, back_;  // what nobody has taken yet
  bool all_sent_ = false;
  lanesort_status status_ = LANESORT_OK;
  char words_[400] = "";
};

class Sender {
 public:
  Sender(Device& device, const Slots& slots, const Trip& trip, Carrier& carrier, Handover& handover)
      : device_(device), slots_(slots), trip_(trip), carrier_(carrier), handover_(handover) {}

  void run() {
    for (std::uint64_t i = 0; i < trip_.loads; ++i) {
      if (trip_.prepare) trip_.prepare(i);
      if (!handover_.slot_is_free(slots_.count()) || !handover_.take_front(&i)) return;
      const Load load = trip_.load(i);
      const lanesort_status status = send(load, static_cast<std::uint32_t>(i % slots_.count()));
      if (status != LANESORT_OK) return handover_.fail(status);
      handover_.sorting(load);
    }
  }

 private:
  lanesort_status send(const Load& load, std::uint32_t slot) {
    lanesort_status status = send_up(load, slot);
    const trace::Phase phase("record the sort");
    if (status == LANESORT_OK) status = device_.wait(Lane::sort, kUploaded + slot);
    if (status == LANESORT_OK) status = device_.sort(trip_.operation, describe(load, slot));
    return status == LANESORT_OK ? device_.mark(kSorted + slot, Lane::sort) : status;
  }

  lanesort_status send_up(const Load& load, std::uint32_t slot) {
    const trace::Phase phase("upload");
    lanesort_status status = carrier_.up(load.keys, slots_.keys(slot).data());
    if (status == LANESORT_OK) status = carrier_.up(load.values, slots_.values(slot).data());
    return status == LANESORT_OK ? device_.mark(kUploaded + slot, Lane::up) : status;
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
  Carrier& carrier_;
  Handover& handover_;
};

lanesort_status wait_for_sort(Device& device, std::uint32_t slot) {
  const trace::Phase phase("wait for the sort");
  return device.finish(kSorted + slot);
}

// Waits for each sort before anything is written for it, so that a sort that fails leaves the host's memory as it was.
void bring_down(Device& device, const Slots& slots, const Trip& trip, Carrier& carrier, Handover& handover) {
  Load load;
  for (std::uint64_t i = 0; handover.load_started(i, &load); ++i) {
    const std::uint32_t slot = static_cast<std::uint32_t>(i % slots.count());
    lanesort_status status = wait_for_sort(device, slot);
    const trace::Phase phase("download");
    if (status == LANESORT_OK && load.keys_to != nullptr)
      status = carrier.down(slots.keys(slot).data(), load.keys_to, load.count * lanesort_dtype_bytes(trip.desc.dtype));
    if (status == LANESORT_OK && load.values_to != nullptr)
      status = carrier.down(slots.values(slot).data(), load.values_to, load.count * trip.desc.value_bytes);
    if (status != LANESORT_OK) return handover.fail(status);
    handover.down();
  }
}

// The host's part.
void work_here(const Trip& trip, Handover& handover) noexcept {
  try {
    for (std::uint64_t i = 0; handover.take_back(&i);) {
      const trace::Phase phase("sort on the host");
      const lanesort_status status = trip.here(i);
      if (status != LANESORT_OK) return handover.fail(status);
      handover.done_here();
    }
  } catch (const std::bad_alloc&) {
    handover.fail(api::fail(LANESORT_OUT_OF_MEMORY, "the host has no memory for its part of the sort"));
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

TripEnd run_trip(Device& device, const Slots& slots, const Trip& trip, Carrier& up, Carrier& down) noexcept {
  Handover handover(trip.loads);
  Sender sender(device, slots, trip, up, handover);
  std::thread second, third;
  try {
    if (trip.here) third = std::thread([&] { work_here(trip, handover); });
    if (trip.loads > 1) {
      second = std::thread([&] {
        const lanesort_status attached = device.attach();
        if (attached != LANESORT_OK) return handover.fail(attached);
        bring_down(device, slots, trip, down, handover);
        device.detach();
      });
    }
    sender.run();
    handover.all_sent();
    // The one load has gone up before it comes down, so threads and pieces of one carrier do for both.
    if (trip.loads == 1) bring_down(device, slots, trip, up, handover);
  } catch (const std::bad_alloc&) {
    handover.fail(api::fail(LANESORT_OUT_OF_MEMORY, "the host has no memory for the list of what goes to the device"));
  } catch (const std::system_error& error) {
    handover.fail(api::fail(LANESORT_OUT_OF_MEMORY, "no thread could be started to copy from the device: %s", error.what()));
  }
  if (second.joinable()) second.join();
  if (third.joinable()) third.join();
  // Whatever came before, nothing may still run when memory goes.
  const lanesort_status ended = device.finish_all();
  if (ended != LANESORT_OK) handover.fail(ended);
  return handover.end();
}

}  // namespace pipeline
}  // namespace v1
}  // namespace lanesort
