#include "api/backend.hpp"

#include <cstdio>
#include <cstring>

#include "api/check.hpp"
#include "api/status.hpp"
#include "cpu/engine.hpp"

namespace lanesort {
inline namespace v1 {
namespace api {
namespace {

lanesort_status query_cpu(lanesort_capabilities* out) noexcept {
  const cpu::Machine& machine = cpu::this_machine();
  out->backend = LANESORT_BACKEND_CPU;
  out->threads = machine.threads;
  out->max_count = count_limit(16);
  std::snprintf(out->isa, sizeof out->isa, "%s", machine.isa);
  std::snprintf(out->device, sizeof out->device, "%s", machine.device);
  return LANESORT_OK;
}

constexpr Backend kBackends[] = {
    {LANESORT_BACKEND_CPU, "cpu", query_cpu},
#ifdef LANESORT_CUDA_KERNELS
    {LANESORT_BACKEND_CUDA, "cuda", query_cuda},
#endif
    {LANESORT_BACKEND_WEBGPU, "webgpu", query_webgpu},
};

const char* known_name(lanesort_backend backend) {
  switch (backend) {
    case LANESORT_BACKEND_CPU:
      return "cpu";
    case LANESORT_BACKEND_CUDA:
      return "cuda";
    case LANESORT_BACKEND_WEBGPU:
      return "webgpu";
    default:
      return nullptr;
  }
}

}  // namespace
}  // namespace api
}  // namespace v1
}  // namespace lanesort

namespace api = lanesort::api;

const char* lanesort_backend_name(uint32_t i) noexcept {
  return i < sizeof api::kBackends / sizeof *api::kBackends ? api::kBackends[i].name : nullptr;
}

lanesort_status lanesort_query_capabilities(lanesort_backend backend, lanesort_capabilities* capabilities) noexcept {
  if (capabilities == nullptr)
    return api::fail(LANESORT_INVALID_ARGUMENT, "lanesort_query_capabilities: capabilities must not be NULL");
  if (capabilities->struct_bytes != sizeof *capabilities) {
    return api::fail(LANESORT_INVALID_ARGUMENT,
                     "capabilities.struct_bytes is %u, this library knows %zu; start from LANESORT_CAPABILITIES_INIT",
                     capabilities->struct_bytes, sizeof *capabilities);
  }
  for (const api::Backend& candidate : api::kBackends) {
    if (candidate.id == backend) {
      *capabilities = LANESORT_CAPABILITIES_INIT;
      return candidate.query(capabilities);
    }
  }
  const char* const name = api::known_name(backend);
  if (name == nullptr)
    return api::fail(LANESORT_INVALID_ARGUMENT, "back end %u is not known; see LANESORT_BACKEND_CPU and its neighbours",
                     backend);
  return api::fail(LANESORT_DEVICE_UNAVAILABLE,
                   "the %s back end is not in this build of lanesort %s; the cpu back end is", name,
                   lanesort_version_string());
}
