// What a device says of the calls between construction and close().
#pragma once
#include <memory>
#include <string>

#include "webgpu/handle.hpp"

namespace lanesort {
inline namespace v1 {
namespace webgpu {

class ErrorScope {
 public:
  explicit ErrorScope(lanesort_webgpu& handle) : handle_(handle) {
    for (const abi::Enum filter : kFilters) handle_.api.wgpuDevicePushErrorScope(handle_.device, filter);
  }
  ErrorScope(const ErrorScope&) = delete;
  ErrorScope& operator=(const ErrorScope&) = delete;

  // The error's words, "" where there was none. Implementations that run on the device's own thread answer at once;
  // of others a device of the caller's own reports by his callback for errors.
  std::string close() {
    std::string words;
    for (std::size_t i = 0; i < std::size(kFilters); ++i) {
      const std::shared_ptr<Answer> answer = pop();
      if (words.empty()) words = answer->words;
    }
    return words;
  }

 private:
  static constexpr abi::Enum kFilters[] = {abi::kFilterInternal, abi::kFilterOutOfMemory, abi::kFilterValidation};

  struct Answer {
    std::string words;
  };

  std::shared_ptr<Answer> pop() {
    const auto answer = std::make_shared<Answer>();
    abi::CallbackInfo<abi::PopErrorScopeCallback> info;
    info.mode = handle_.instance != nullptr ? abi::kWaitAnyOnly : abi::kAllowSpontaneous;
    info.callback = [](abi::Enum status, abi::Enum type, abi::StringView message, void* userdata, void*) {
      const std::unique_ptr<std::shared_ptr<Answer>> held(static_cast<std::shared_ptr<Answer>*>(userdata));
      if (status == abi::kStatusSuccess && type != abi::kNoError) (*held)->words = words_of(message);
    };
    info.userdata1 = new std::shared_ptr<Answer>(answer);  // the callback's, which may come late
    const abi::Future future = handle_.api.wgpuDevicePopErrorScope(handle_.device, info);
    if (handle_.instance != nullptr) {
      abi::FutureWaitInfo wait{future, 0};
      handle_.api.wgpuInstanceWaitAny(handle_.instance, 1, &wait, UINT64_MAX);
    }
    return answer;
  }

  lanesort_webgpu& handle_;
};

}  // namespace webgpu
}  // namespace v1
}  // namespace lanesort
