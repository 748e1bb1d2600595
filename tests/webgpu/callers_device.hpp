// A device of the test's own, as a caller of lanesort_webgpu_create() has one, and the handle for it. What the
// implementation complained of fails the test that it came up in.
#pragma once
#include <dlfcn.h>

#include "lanesort/webgpu.h"
#include "webgpu/gpu.hpp"
#include "webgpu/handle.hpp"

namespace lanesort::test {

inline void* find_function(const char* name) {
  static void* const library = dlopen(std::getenv("LANESORT_WEBGPU_LIB"), RTLD_NOW | RTLD_LOCAL);
  return dlsym(library, name);
}

class OnCallersDevice : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    gpu_ = new Gpu;
    if (*gpu_) lanesort_webgpu_create(gpu_->device, find_function, &handle_);
  }
  static void TearDownTestSuite() {
    lanesort_webgpu_destroy(handle_);
    delete gpu_;
    handle_ = nullptr;
    gpu_ = nullptr;
  }
  void SetUp() override { ASSERT_NE(handle_, nullptr) << lanesort_last_error(); }
  void TearDown() override {
    for (const std::string& error : gpu_->errors()) ADD_FAILURE() << error;
  }

  static inline Gpu* gpu_ = nullptr;
  static inline lanesort_webgpu* handle_ = nullptr;
};

}  // namespace lanesort::test
