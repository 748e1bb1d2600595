#include "api/status.hpp"

#include <cstdarg>
#include <cstdio>

namespace lanesort {
inline namespace v1 {
namespace api {
namespace {

thread_local char last_error[512] = "";

}  // namespace

lanesort_status fail(lanesort_status status, const char* format, ...) noexcept {
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(last_error, sizeof last_error, format, arguments);
  va_end(arguments);
  return status;
}

}  // namespace api
}  // namespace v1
}  // namespace lanesort

const char* lanesort_last_error(void) noexcept { return lanesort::api::last_error; }

lanesort_status lanesort_refuse_count(const char* buffer, uint64_t count, uint64_t expected) noexcept {
  return lanesort::api::fail(LANESORT_INVALID_ARGUMENT,
                             "%.60s holds %llu items, where %llu are needed; give spans of one size",
                             buffer == nullptr ? "a buffer" : buffer, static_cast<unsigned long long>(count),
                             static_cast<unsigned long long>(expected));
}

const char* lanesort_status_name(lanesort_status status) noexcept {
  switch (status) {
    case LANESORT_OK:
      return "LANESORT_OK";
    case LANESORT_INVALID_ARGUMENT:
      return "LANESORT_INVALID_ARGUMENT";
    case LANESORT_UNSUPPORTED:
      return "LANESORT_UNSUPPORTED";
    case LANESORT_SCRATCH_TOO_SMALL:
      return "LANESORT_SCRATCH_TOO_SMALL";
    case LANESORT_OUT_OF_MEMORY:
      return "LANESORT_OUT_OF_MEMORY";
    case LANESORT_DEVICE_UNAVAILABLE:
      return "LANESORT_DEVICE_UNAVAILABLE";
    case LANESORT_DEVICE_ERROR:
      return "LANESORT_DEVICE_ERROR";
    default:
      return "unknown status";
  }
}

#define LANESORT_TEXT_OF(x) #x
#define LANESORT_TEXT(x) LANESORT_TEXT_OF(x)

const char* lanesort_version_string(void) noexcept {
  return LANESORT_TEXT(LANESORT_VERSION_MAJOR) "." LANESORT_TEXT(LANESORT_VERSION_MINOR) "." LANESORT_TEXT(
      LANESORT_VERSION_PATCH);
}

uint32_t lanesort_version_number(void) noexcept {
  return LANESORT_VERSION_MAJOR * 1000000u + LANESORT_VERSION_MINOR * 1000u + LANESORT_VERSION_PATCH;
}
