#include "cpu/team.hpp"

#include <pthread.h>
#include <signal.h>

#include <exception>

namespace lanesort {
inline namespace v1 {
namespace cpu {

namespace {

// While it lives, threads that are started take no signals: the application's handlers are not ours to run.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace

Team::Team(std::uint32_t threads, const Executor* executor) noexcept : executor_(executor), threads_(threads) {
  if (executor_ != nullptr || threads < 2) return;
  const SignalsBlocked blocked;
  try {
    while (worker_count_ + 1 < threads) {
      workers_[worker_count_] = std::thread(&Team::work_loop, this);
      ++worker_count_;
    }
  } catch (const std::exception&) {
    // Out of threads or memory: the work is divided as planned and done by fewer.
  }
}

Team::~Team() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_ready_.notify_all();
  for (std::uint32_t i = 0; i < worker_count_; ++i) workers_[i].join();
}

// Relaxed suffices for the ticket: the mutex orders the work's data before the first ticket and after the last.
void Team::take_tasks(const Work& work) noexcept {
  for (std::uint32_t i; (i = next_.fetch_add(1, std::memory_order_relaxed)) < work.count;) work.task(work.argument, i);
}

void Team::run(std::uint32_t task_count, Task task, void* argument) noexcept {
  if (executor_ != nullptr && task_count > 1) {
    executor_->run(executor_->context, task_count, task, argument);
    return;
  }
  if (task_count <= 1 || worker_count_ == 0) {
    for (std::uint32_t i = 0; i < task_count; ++i) task(argument, i);
    return;
  }
  Work work{task, argument, task_count};
  {
    const std::lock_guard lock(mutex_);
    work_ = work;
    next_.store(0, std::memory_order_relaxed);
    busy_ = worker_count_;
    ++generation_;
  }
  work_ready_.notify_all();
  take_tasks(work);
  std::unique_lock lock(mutex_);
  work_done_.wait(lock, [this] { return busy_ == 0; });
}

void Team::work_loop() noexcept {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    work_ready_.wait(lock, [&] { return stopping_ || generation_ != seen; });
    if (stopping_) return;
    seen = generation_;
    const Work work = work_;
    lock.unlock();
    take_tasks(work);
    lock.lock();
    if (--busy_ == 0) work_done_.notify_one();
  }
}

}  // namespace cpu
}  // namespace v1
}  // namespace lanesort
