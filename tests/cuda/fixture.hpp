// What the GPU tests of all operations begin with: a handle and a stream for a suite, skipped in words without a device.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "cuda/device.hpp"
#include "cuda/handle.hpp"
#include "support/random.hpp"

namespace lanesort::test {

using Bytes = std::vector<unsigned char>;

inline constexpr lanesort_dtype kDtypes[] = {LANESORT_BOOL, LANESORT_U8,  LANESORT_I8,  LANESORT_U16, LANESORT_I16,
                                             LANESORT_U32,  LANESORT_I32, LANESORT_U64, LANESORT_I64, LANESORT_F16,
                                             LANESORT_BF16, LANESORT_F32, LANESORT_F64};
inline constexpr Pattern kPatterns[] = {Pattern::uniform,  Pattern::few,   Pattern::narrow, Pattern::sorted,
                                        Pattern::reversed, Pattern::equal, Pattern::ones,   Pattern::gaps,
                                        Pattern::skewed,   Pattern::runs};

inline Random seeded() {
  std::printf("seed %llu\n", static_cast<unsigned long long>(run_seed()));
  return Random(run_seed());
}

class OnCuda : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!Cuda::get().there) return;
    if (lanesort_cuda_create(nullptr, &handle_) != LANESORT_OK) ADD_FAILURE() << lanesort_last_error();
    LANESORT_MUST(cuStreamCreate(&stream_, 1));
  }
  static void TearDownTestSuite() {
    lanesort_cuda_destroy(handle_);
    handle_ = nullptr;
  }
  void SetUp() override {
    if (!Cuda::get().there) GTEST_SKIP() << "no CUDA device: libcuda.so.1 is not there or shows none";
    ASSERT_NE(handle_, nullptr);
    handle_->limits = {};
  }
  inline static lanesort_cuda* handle_ = nullptr;
  inline static CUstream_st* stream_ = nullptr;
};

// Values of any bits.
inline Bytes random_values(Random& random, std::uint64_t count, std::uint32_t bytes) {
  Bytes values(count * bytes);
  for (unsigned char& byte : values) byte = static_cast<unsigned char>(random.next());
  return values;
}

inline std::string first_difference(const Bytes& got, const Bytes& want, std::uint32_t width) {
  std::string words;
  int shown = 0;
  for (std::size_t i = 0; i < want.size() / width && shown < 10; ++i) {
    if (std::memcmp(&got[i * width], &want[i * width], width) == 0) continue;
    std::uint64_t g = 0, w = 0;
    std::memcpy(&g, &got[i * width], std::min(width, 8u));
    std::memcpy(&w, &want[i * width], std::min(width, 8u));
    char line[80];
    std::snprintf(line, sizeof line, "\n  at %zu: got %llx, want %llx", i, static_cast<unsigned long long>(g),
                  static_cast<unsigned long long>(w));
    words += line;
    ++shown;
  }
  return words;
}

}  // namespace lanesort::test
