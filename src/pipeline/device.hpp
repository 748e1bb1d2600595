// What the pipeline asks of a device: memory, three lanes of work, and a sort of what lies in its memory.
// Work of one lane runs in the order it was given and after the call; lanes run beside each other but for marks.
#pragma once
#include <cstdint>

#include "lanesort/lanesort.h"
#include "plan/chunks.hpp"

namespace lanesort {
inline namespace v1 {
namespace pipeline {

enum class Lane { up, sort, down };
inline constexpr std::uint32_t kLanes = 3;

// Instants of lanes. Host memory that a copy uses may be touched again when a mark behind the copy is finished.
using Mark = std::uint32_t;
inline constexpr std::uint32_t kPieces = 2;  // of pinned memory, each way
inline constexpr Mark kUploaded = 0, kSorted = kUploaded + plan::kChunkSlots, kPieceUp = kSorted + plan::kChunkSlots,
                      kPieceDown = kPieceUp + kPieces, kDownloaded = kPieceDown + kPieces, kMarks = kDownloaded + 1;

// Every call may fail; then the pipeline ends by finish_all(). Calls come from two threads, never for the same lane.
class Device {
 public:
  virtual ~Device() = default;
  // What a thread other than the one that made the device does first and last.
  virtual lanesort_status attach() noexcept { return LANESORT_OK; }
  virtual void detach() noexcept {}

  virtual lanesort_status free_bytes(std::uint64_t* bytes) noexcept = 0;
  // LANESORT_OUT_OF_MEMORY, with words, where there is not as much.
  virtual lanesort_status allocate(std::uint64_t bytes, void** device) noexcept = 0;
  virtual void release(void* device) noexcept = 0;
  virtual lanesort_status allocate_pinned(std::uint64_t bytes, void** host) noexcept = 0;
  virtual void release_pinned(void* host) noexcept = 0;
  // Host memory that copies read and write by themselves; from other memory they are slow and may hold up the caller.
  virtual bool is_pinned(const void* host) noexcept = 0;

  virtual lanesort_status upload(void* device, const void* host, std::uint64_t bytes) noexcept = 0;    // Lane::up
  virtual lanesort_status download(void* host, const void* device, std::uint64_t bytes) noexcept = 0;  // Lane::down
  virtual lanesort_status scratch_bytes(lanesort_operation operation, const lanesort_sort_desc& desc,
                                        std::uint64_t* bytes) noexcept = 0;
  // The descriptor's addresses are the device's. Lane::sort.
  virtual lanesort_status sort(lanesort_operation operation, const lanesort_sort_desc& desc) noexcept = 0;

  virtual lanesort_status mark(Mark mark, Lane lane) noexcept = 0;       // all that the lane was given so far
  virtual lanesort_status wait(Lane lane, Mark mark) noexcept = 0;       // before what the lane is given from now on
  virtual lanesort_status finish(Mark mark) noexcept = 0;                // the calling thread waits; a mark not yet set is finished
  virtual lanesort_status finish_all() noexcept = 0;
};

// Device or pinned memory for as long as it lives.
class Memory {
 public:
  explicit Memory(Device& device) : device_(device) {}
  ~Memory() { release(); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  lanesort_status allocate(std::uint64_t bytes) noexcept { return bytes == 0 ? LANESORT_OK : device_.allocate(bytes, &data_); }
  lanesort_status pin(std::uint64_t bytes) noexcept {
    pinned_ = true;
    return device_.allocate_pinned(bytes, &data_);
  }
  void release() noexcept {
    if (data_ != nullptr) pinned_ ? device_.release_pinned(data_) : device_.release(data_);
    data_ = nullptr;
  }
  std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  Device& device_;
  void* data_ = nullptr;
  bool pinned_ = false;
};

}  // namespace pipeline
}  // namespace v1
}  // namespace lanesort
