// What of the CUDA room can be tested without a device: the plan's arithmetic, and words where the device is missing.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "lanesort/cuda.hpp"
#include "plan/cuda_plan.hpp"
#include "tune/cuda_shapes.hpp"

namespace lanesort::test {
namespace {

constexpr std::uint32_t kKeyWidths[] = {1, 2, 4, 8}, kValueWidths[] = {0, 1, 2, 4, 8, 16};

TEST(CudaPlan, ScratchIsMonotoneAndWithinItsPromise) {
  for (std::uint32_t key_bytes : kKeyWidths) {
    for (std::uint32_t value_bytes : kValueWidths) {
      for (bool argsort : {false, true}) {
        std::uint64_t last = 0;
        for (std::uint64_t count = 1; count < std::uint64_t{1} << 36; count += 1 + count / 3) {
          const plan::CudaPlan plan = plan::plan_cuda_sort({key_bytes, value_bytes, argsort, count}, {});
          EXPECT_GE(plan.scratch.bytes, last) << count;
          last = plan.scratch.bytes;
          const std::uint64_t alternates = count * (key_bytes * (argsort ? 2u : 1u) + value_bytes);
          EXPECT_LE(plan.scratch.bytes, alternates + count / 4 + (1u << 20))
              << key_bytes << "+" << value_bytes << " n " << count;
        }
      }
    }
  }
}

TEST(CudaPlan, StretchesOfScratchStandApart) {
  for (std::uint64_t count : {5000u, 100000u, 5000000u}) {
    const plan::CudaPlan plan = plan::plan_cuda_sort({4, 8, true, count}, {});
    const std::uint64_t tile = tune::pass_shape(4, 8, count <= tune::small_tiles_up_to(4) ? 1 : 0).tile();
    EXPECT_GE(plan.scratch.lookback, plan.clear_bytes);
    EXPECT_GE(plan.scratch.keys[0], plan.scratch.lookback + (count + tile - 1) / tile * 1024);
    EXPECT_GE(plan.scratch.keys[1], plan.scratch.keys[0] + count * 4);
    EXPECT_GE(plan.scratch.values, plan.scratch.keys[1] + count * 4);
    EXPECT_GE(plan.scratch.bytes, plan.scratch.values + count * 8 + 255);
    for (std::uint64_t at : {plan.scratch.lookback, plan.scratch.keys[0], plan.scratch.keys[1], plan.scratch.values})
      EXPECT_EQ(at % 256, 0u);
  }
}

TEST(CudaPlan, PortionsAreWholeTilesBelowTheLimit) {
  for (std::uint64_t limit : {std::uint64_t{1}, std::uint64_t{10000}, std::uint64_t{1} << 28}) {
    plan::CudaLimits limits;
    limits.portion = limit;
    limits.small = 0;
    for (std::uint32_t value_bytes : kValueWidths) {
      const std::uint64_t tile = tune::pass_shape(4, value_bytes, 0).tile();
      const plan::CudaPlan plan = plan::plan_cuda_sort({4, value_bytes, false, std::uint64_t{1} << 33}, limits);
      EXPECT_EQ(plan.portion % tile, 0u);
      EXPECT_LT(plan.portion, limit + tile);
      EXPECT_LT(plan.portion, std::uint64_t{1} << 29) << "counts have 29 bits";
    }
  }
}

TEST(CudaPlan, EveryShapeFitsAMultiprocessor) {
  for (std::uint32_t key_bytes : kKeyWidths) {
    for (std::uint32_t value_bytes : kValueWidths) {
      for (std::uint32_t which = 0; which < tune::kPassShapes; ++which) {
        const tune::Shape shape = tune::pass_shape(key_bytes, value_bytes, which);
        EXPECT_LE(shape.blocks * (shape.shared_bytes() + 6 * 1024), 228u * 1024) << key_bytes << "+" << value_bytes;
        EXPECT_GE(shape.shared_bytes(), key_bytes * 1024) << "one histogram of every digit";
        EXPECT_LE(shape.tile(), 65536u) << "ranks have 16 bits";
      }
    }
  }
}

// Compute capability 8.0 gives a block 163 KiB, the least of the devices that are meant.
TEST(CudaPlan, NoBlockTakesMoreThanTheSmallestDeviceGives) { EXPECT_LE(tune::most_shared_bytes(), 163u * 1024); }

TEST(CudaScratch, IsKnownWithoutADevice) {
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  desc.count = 1000000;
  lanesort_capabilities capabilities = LANESORT_CAPABILITIES_INIT;
  capabilities.backend = LANESORT_BACKEND_CUDA;
  std::uint64_t bytes = 0;
  ASSERT_EQ(lanesort_scratch_bytes(LANESORT_OP_SORT, &desc, &capabilities, &bytes), LANESORT_OK)
      << lanesort_last_error();
  EXPECT_GE(bytes, 4000000u);
  EXPECT_LE(bytes, 4000000u + 250000 + (1 << 20));
}

// Each in a process of its own, because the driver is opened once.
void expect_unavailable(const char* driver, const char* words) {
  if (driver != nullptr) setenv("LANESORT_CUDA_DRIVER", driver, 1);
  lanesort_cuda* handle = reinterpret_cast<lanesort_cuda*>(&handle);
  const lanesort_status status = lanesort_cuda_create(nullptr, &handle);
  const std::string said = lanesort_last_error();
  const bool right = status == LANESORT_DEVICE_UNAVAILABLE && handle == nullptr &&
                     (said.find(words) != std::string::npos || said.find("made without nvcc") != std::string::npos);
  if (!right) std::fprintf(stderr, "status %d, said: %s\n", status, said.c_str());
  std::exit(right ? 0 : 1);
}

TEST(CudaUnavailable, NoDriverIsNamed) {
  EXPECT_EXIT(expect_unavailable("/nowhere/libcuda.so.1", "/nowhere/libcuda.so.1"), ::testing::ExitedWithCode(0), "");
}
TEST(CudaUnavailable, ALibraryThatIsNoDriverIsNamed) {
  EXPECT_EXIT(expect_unavailable("libm.so.6", "libm.so.6 is too old: it lacks cuInit"), ::testing::ExitedWithCode(0),
              "");
}

TEST(CudaUnavailable, BadArgumentsComeFirst) {
  EXPECT_EQ(lanesort_cuda_create(nullptr, nullptr), LANESORT_INVALID_ARGUMENT);
  lanesort_sort_desc desc = LANESORT_SORT_INIT;
  EXPECT_EQ(lanesort_cuda_sort(nullptr, nullptr, &desc, nullptr), LANESORT_INVALID_ARGUMENT);
  EXPECT_NE(std::string(lanesort_last_error()).find("lanesort_cuda_create"), std::string::npos);
  lanesort_cuda_destroy(nullptr);
}

// The C++ face without a device: what is asked of it arrives, and what is wrong is said.
TEST(CudaFace, SaysWhatTheHandleSays) {
  const cuda::Context none;
  std::vector<float> keys(4);
  std::vector<std::uint32_t> values(3), indices(4);
  EXPECT_EQ(none.sort(nullptr, std::span(keys), {}), Status::invalid_argument);
  EXPECT_NE(std::string(last_error()).find("handle is NULL"), std::string::npos) << last_error();
  EXPECT_EQ(none.sort_pairs(nullptr, std::span(keys), std::span(values), {}), Status::invalid_argument);
  EXPECT_NE(std::string(last_error()).find("values_src"), std::string::npos) << last_error();
  EXPECT_EQ(none.argsort(nullptr, std::span<const float>(keys), std::span(indices), {}), Status::invalid_argument);
  EXPECT_FALSE((none.sort_pairs_scratch_bytes<float, std::uint32_t>(10).ok()));
  cuda::Context one, other = std::move(one);
  EXPECT_EQ(other.get(), nullptr);
}

}  // namespace
}  // namespace lanesort::test
