// The team: every task runs once, whatever the numbers of tasks and threads, and what a task wrote is seen after run().
#include "cpu/team.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace lanesort::test {
namespace {

TEST(Team, EachTaskRunsOnce) {
  for (std::uint32_t threads : {1u, 2u, 3u, 8u, 64u}) {
    cpu::Team team(threads, nullptr);
    EXPECT_EQ(team.threads(), threads);
    for (std::uint32_t tasks : {0u, 1u, 2u, 7u, 64u, 1000u}) {
      std::vector<int> runs(tasks, 0);  // not atomic: each place belongs to one task, and run() must publish it
      team.run(tasks, [&](std::uint32_t i) { ++runs[i]; });
      EXPECT_EQ(runs, std::vector<int>(tasks, 1)) << threads << " threads, " << tasks << " tasks";
    }
  }
}

TEST(Team, RoundsFollowOneAnother) {
  cpu::Team team(4, nullptr);
  std::vector<std::uint64_t> cells(16, 1);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::uint64_t> next(cells.size());
    team.run(16, [&](std::uint32_t i) { next[i] = cells[i] + cells[(i + 1) % 16]; });
    for (auto& cell : next) cell %= 1000003;
    cells = next;
  }
  for (std::uint64_t cell : cells) EXPECT_EQ(cell, cells[0]);  // equal cells stay equal if every round saw the one before
}

TEST(Team, TheCallersExecutorIsAskedInsteadOfThreads) {
  struct Log {
    std::uint32_t calls = 0;
    std::vector<std::uint32_t> order;
  } log;
  const cpu::Executor executor{&log, [](void* context, std::uint32_t count, cpu::Task task, void* argument) {
                                 auto& l = *static_cast<Log*>(context);
                                 ++l.calls;
                                 for (std::uint32_t i = count; i-- > 0;) {
                                   l.order.push_back(i);
                                   task(argument, i);
                                 }
                               }};
  cpu::Team team(8, &executor);
  std::vector<int> runs(5, 0);
  team.run(5, [&](std::uint32_t i) { ++runs[i]; });
  EXPECT_EQ(log.calls, 1u);
  EXPECT_EQ(log.order, (std::vector<std::uint32_t>{4, 3, 2, 1, 0}));
  EXPECT_EQ(runs, std::vector<int>(5, 1));
}

TEST(Team, IsMadeAndUnmadeQuicklyManyTimes) {
  std::uint64_t sum = 0;
  for (int i = 0; i < 300; ++i) {
    cpu::Team team(4, nullptr);
    std::uint64_t parts[4] = {};
    if (i % 3 != 0) team.run(4, [&](std::uint32_t p) { parts[p] = p + 1; });
    for (const std::uint64_t part : parts) sum += part;
  }
  EXPECT_EQ(sum, 200u * 10);
}

}  // namespace
}  // namespace lanesort::test
