// A fork-join team: run() hands out task numbers to its threads and returns when all tasks have returned. Tasks
// never wait for one another, so any number of threads, one included, finishes them. The threads live as long as the
// team, which is one call of the library: no global state, nothing left behind for fork() or dlclose() to trip over.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace lanesort {
inline namespace v1 {
namespace cpu {

inline constexpr std::uint32_t kMaxThreads = 64;

using Task = void (*)(void* argument, std::uint32_t index);

// The caller's own threads.
struct Executor {
  void* context;
  void (*run)(void* context, std::uint32_t task_count, Task task, void* argument);
};

class Team {
 public:
  // Starts threads - 1 workers, or fewer where the system refuses more; none if there is an executor.
  Team(std::uint32_t threads, const Executor* executor) noexcept;
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  std::uint32_t threads() const noexcept { return threads_; }
  void run(std::uint32_t task_count, Task task, void* argument) noexcept;

  template <class Body>
  void run(std::uint32_t task_count, Body&& body) noexcept {
    run(
        task_count, [](void* b, std::uint32_t index) { (*static_cast<std::remove_reference_t<Body>*>(b))(index); },
        &body);
  }

 private:
  struct Work {
    Task task = nullptr;
    void* argument = nullptr;
    std::uint32_t count = 0;
  };
  void work_loop() noexcept;
  void take_tasks(const Work& work) noexcept;

  const Executor* executor_;
  std::uint32_t threads_;
  std::uint32_t worker_count_ = 0;
  std::thread workers_[kMaxThreads - 1];

  std::mutex mutex_;  // guards what follows, next_ excepted
  std::condition_variable work_ready_, work_done_;
  Work work_;
  std::uint64_t generation_ = 0;
  std::uint32_t busy_ = 0;
  bool stopping_ = false;
  std::atomic<std::uint32_t> next_{0};
};

}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
