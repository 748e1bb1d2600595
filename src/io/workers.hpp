// Tasks 0, 1, 2, ... dealt out to a few threads in rising order. For the inside of the room.
//
// Invariant: when run_tasks() returns every task has run once, or one has thrown, and no thread is left.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace lanesort::io {

// work() on so many threads at once, the caller's among them; fewer where the system gives no more, so the work must
// not depend on their number. What work() throws reaches the caller, one of several.
template <class Work>
void run_on_threads(std::size_t threads, const Work& work) {
  std::exception_ptr failure;
  std::atomic_flag failed;
  const auto guarded = [&] {
    try {
      work();
    } catch (...) {
      if (!failed.test_and_set()) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> team;
    team.reserve(threads);
    try {
      for (std::size_t i = 1; i < threads; ++i) team.emplace_back(guarded);
    } catch (const std::system_error&) {  // those that did start suffice
    }
    guarded();
  }
  if (failure) std::rethrow_exception(failure);
}

template <class Task>
void run_tasks(std::size_t threads, std::size_t count, const Task& task) {
  std::atomic<std::size_t> next = 0;
  run_on_threads(std::min(threads, count), [&] {
    // Relaxed: the number is all that passes; results are published by the join.
    for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) task(i);
  });
}

}  // namespace lanesort::io
