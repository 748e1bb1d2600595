// A device of threads that lags: what a lane is given is done some time later, so that a wait left out shows. Its memory is
// the host's, as much as it is told, dirty, and accounted for. It fails when it is told to, and from then on for good.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "api/status.hpp"
#include "pipeline/device.hpp"
#include "support/call.hpp"
#include "support/random.hpp"

namespace lanesort::test {

class LaggingDevice final : public pipeline::Device {
 public:
  struct Manner {
    std::uint64_t memory_bytes = std::uint64_t{1} << 30;   // there are
    std::uint64_t claimed_bytes = std::uint64_t{1} << 30;  // free_bytes() says
    bool pinned = false;                                   // the caller's memory
    std::uint64_t fail_at = UINT64_MAX;                    // the piece of lane work that fails, counted from 0
    std::uint64_t seed = 1;
  };

  explicit LaggingDevice(const Manner& manner) : manner_(manner) {
    for (std::uint32_t lane = 0; lane < pipeline::kLanes; ++lane) threads_[lane] = std::thread([this, lane] { work(lane); });
  }
  ~LaggingDevice() override {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  std::size_t allocations() const { return sizes_.size(); }
  std::uint64_t peak_bytes() const { return peak_; }
  std::uint64_t pieces_of_work() const { return done_; }
  std::uint64_t sorts() const { return sorts_; }

  lanesort_status free_bytes(std::uint64_t* bytes) noexcept override {
    *bytes = manner_.claimed_bytes;
    return LANESORT_OK;
  }
  lanesort_status allocate(std::uint64_t bytes, void** device) noexcept override {
    if (used_ + bytes > manner_.memory_bytes) return api::fail(LANESORT_OUT_OF_MEMORY, "the lagging device is full");
    *device = take(bytes);
    used_ += bytes;
    peak_ = std::max(peak_, used_);
    return LANESORT_OK;
  }
  void release(void* device) noexcept override {
    used_ -= sizes_.at(device);
    give(device);
  }
  lanesort_status allocate_pinned(std::uint64_t bytes, void** host) noexcept override {
    const std::lock_guard lock(mutex_);
    *host = take(bytes);
    return LANESORT_OK;
  }
  void release_pinned(void* host) noexcept override { give(host); }
  bool is_pinned(const void*) noexcept override { return manner_.pinned; }

  lanesort_status upload(void* device, const void* host, std::uint64_t bytes) noexcept override {
    return give_work(pipeline::Lane::up, [=] { std::memcpy(device, host, bytes); return true; });
  }
  lanesort_status download(void* host, const void* device, std::uint64_t bytes) noexcept override {
    return give_work(pipeline::Lane::down, [=] { std::memcpy(host, device, bytes); return true; });
  }
  lanesort_status scratch_bytes(lanesort_operation, const lanesort_sort_desc& desc, std::uint64_t* bytes) noexcept override {
    *bytes = 64 + desc.count * (lanesort_dtype_bytes(desc.dtype) + desc.value_bytes);
    return LANESORT_OK;
  }
  lanesort_status sort(lanesort_operation operation, const lanesort_sort_desc& asked) noexcept override {
    return give_work(pipeline::Lane::sort, [this, operation, asked] {
      ++sorts_;
      lanesort_sort_desc desc = asked;
      std::memset(desc.scratch, 0xCD, desc.scratch_bytes);
      desc.scratch = nullptr;  // the CPU engine asks for another number, and makes its own
      desc.scratch_bytes = 0;
      return call(operation, desc) == LANESORT_OK;
    });
  }
  lanesort_status mark(pipeline::Mark mark, pipeline::Lane lane) noexcept override {
    std::uint64_t time = 0;
    {
      const std::lock_guard lock(mutex_);
      time = ++set_[mark];
    }
    return give_work(lane, [this, mark, time] {
      const std::lock_guard lock(mutex_);
      reached_[mark] = std::max(reached_[mark], time);
      changed_.notify_all();
      return true;
    });
  }
  lanesort_status wait(pipeline::Lane lane, pipeline::Mark mark) noexcept override {
    std::unique_lock lock(mutex_);
    const std::uint64_t time = set_[mark];
    lock.unlock();
    return give_work(lane, [this, mark, time] {
      std::unique_lock inner(mutex_);
      changed_.wait(inner, [&] { return broken_ || reached_[mark] >= time; });
      return true;
    });
  }
  lanesort_status finish(pipeline::Mark mark) noexcept override {
    std::unique_lock lock(mutex_);
    const std::uint64_t time = set_[mark];
    changed_.wait(lock, [&] { return broken_ || reached_[mark] >= time; });
    return verdict();
  }
  lanesort_status finish_all() noexcept override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return given_ == done_; });
    return verdict();
  }

 private:
  using Work = std::function<bool()>;

  lanesort_status verdict() const { return broken_ ? api::fail(LANESORT_DEVICE_ERROR, "the lagging device broke") : LANESORT_OK; }

  lanesort_status give_work(pipeline::Lane lane, Work work) {
    const std::lock_guard lock(mutex_);
    if (broken_) return verdict();
    queues_[static_cast<int>(lane)].push_back(std::move(work));
    ++given_;
    changed_.notify_all();
    return LANESORT_OK;
  }

  void work(std::uint32_t lane) {
    Random random(manner_.seed + lane);
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stopping_ || !queues_[lane].empty(); });
      if (queues_[lane].empty()) return;
      const Work next = std::move(queues_[lane].front());
      queues_[lane].pop_front();
      const bool skipped = broken_ || begun_++ == manner_.fail_at;
      broken_ = broken_ || skipped;
      lock.unlock();
      if (random.chance(6)) std::this_thread::sleep_for(std::chrono::microseconds(random.below(120)));
      const bool good = skipped || next();
      lock.lock();
      broken_ = broken_ || !good;
      ++done_;
      changed_.notify_all();
    }
  }

  // Not through give_work: memory is there at once.
  void* take(std::uint64_t bytes) {
    void* const data = ::operator new(bytes);
    std::memset(data, 0xCD, bytes);
    const std::lock_guard lock(sizes_mutex_);
    sizes_[data] = bytes;
    return data;
  }
  void give(void* data) {
    const std::lock_guard lock(sizes_mutex_);
    sizes_.erase(data);
    ::operator delete(data);
  }

  const Manner manner_;
  std::thread threads_[pipeline::kLanes];
  std::mutex mutex_;  // guards what follows, as far as two threads use it
  std::condition_variable changed_;
  std::deque<Work> queues_[pipeline::kLanes];
  std::uint64_t set_[pipeline::kMarks] = {}, reached_[pipeline::kMarks] = {};
  std::uint64_t given_ = 0, begun_ = 0, done_ = 0;
  bool broken_ = false, stopping_ = false;
  std::uint64_t used_ = 0, peak_ = 0;
  std::atomic<std::uint64_t> sorts_{0};
  std::mutex sizes_mutex_;
  std::map<void*, std::uint64_t> sizes_;
};

}  // namespace lanesort::test
