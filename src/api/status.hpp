// Statuses and the words that go with them.
#pragma once
#include "lanesort/lanesort.h"

namespace lanesort {
inline namespace v1 {
namespace api {

// Keeps the text for lanesort_last_error() of this thread and returns the status. printf's format.
[[gnu::format(printf, 2, 3)]] lanesort_status fail(lanesort_status status, const char* format, ...) noexcept;

}  // namespace api
}  // namespace v1
}  // namespace lanesort
