// The table in which back ends register: what this build holds.
#pragma once
#include "lanesort/lanesort.h"

namespace lanesort {
inline namespace v1 {
namespace api {

struct Backend {
  lanesort_backend id;
  const char* name;
  lanesort_status (*query)(lanesort_capabilities* capabilities) noexcept;  // struct_bytes is set and checked
};

// Defined by the room whose device it asks.
lanesort_status query_cuda(lanesort_capabilities* capabilities) noexcept;
lanesort_status query_webgpu(lanesort_capabilities* capabilities) noexcept;

}  // namespace api
}  // namespace v1
}  // namespace lanesort
