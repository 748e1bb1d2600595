#include "cuda/driver.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "api/status.hpp"
#include "cuda/images.hpp"

namespace lanesort {
inline namespace v1 {
namespace cuda {
namespace {

// What opening came to, kept so that every later call can say it again.
struct Opening {
  Driver driver;
  bool good = false;
  char fault[400] = "";
};

template <class... Words>
void say(Opening& opening, const char* format, Words... words) {
  std::snprintf(opening.fault, sizeof opening.fault, format, words...);
}

Opening open() {
  Opening opening;
  const char* const other = std::getenv("LANESORT_CUDA_DRIVER");
  const char* const file = other != nullptr && *other != '\0' ? other : "libcuda.so.1";
  void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    say(opening, "no CUDA driver: %s. Install the driver of an NVIDIA GPU, or use the cpu back end", dlerror());
    return opening;
  }
#define LANESORT_FIND(name, ...)                                                                                      \
  opening.driver.name = reinterpret_cast<decltype(opening.driver.name)>(dlsym(library, #name));                       \
  if (opening.driver.name == nullptr && opening.fault[0] == '\0') {                                                   \
    say(opening, "the CUDA driver in %s is too old: it lacks %s; lanesort %s needs a driver for CUDA %d.%d or newer", \
        file, #name, lanesort_version_string(), toolkit_version() / 1000, toolkit_version() % 1000 / 10);             \
  }
  LANESORT_DRIVER_FUNCTIONS(LANESORT_FIND)
#undef LANESORT_FIND
  if (opening.fault[0] != '\0') return opening;
  const Result result = opening.driver.cuInit(0);
  if (result != kSuccess) {
    const char* name = nullptr;
    opening.driver.cuGetErrorName(result, &name);
    say(opening,
        "the CUDA driver in %s did not start: %s (%d). Is there an NVIDIA GPU, and is it visible to this process?",
        file, name == nullptr ? "?" : name, result);
    return opening;
  }
  opening.driver.cuDriverGetVersion(&opening.driver.version);
  const int needed = toolkit_version() / 1000 * 1000;  // code of one major version runs on every driver of it
  if (opening.driver.version < needed) {
    say(opening,
        "the CUDA driver supports CUDA %d.%d; lanesort %s was built with %d.%d and needs %d.0 or newer. Update the "
        "driver",
        opening.driver.version / 1000, opening.driver.version % 1000 / 10, lanesort_version_string(),
        toolkit_version() / 1000, toolkit_version() % 1000 / 10, needed / 1000);
    return opening;
  }
  opening.good = true;
  return opening;
}

const Opening& opening() {
  static const Opening once = open();
  return once;
}

}  // namespace

const Driver* driver() noexcept {
  if (opening().good) return &opening().driver;
  api::fail(LANESORT_DEVICE_UNAVAILABLE, "%s", opening().fault);
  return nullptr;
}

lanesort_status check(Result result, const char* what) noexcept {
  if (result == kSuccess) return LANESORT_OK;
  const char *name = nullptr, *words = nullptr;
  opening().driver.cuGetErrorName(result, &name);
  opening().driver.cuGetErrorString(result, &words);
  return api::fail(LANESORT_DEVICE_ERROR, "%s: the CUDA driver answered %s (%d): %s", what,
                   name == nullptr ? "?" : name, result, words == nullptr ? "?" : words);
}

}  // namespace cuda
}  // namespace v1
}  // namespace lanesort
