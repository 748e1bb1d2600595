// One key as people write it: the shortest decimal that reads back as the same key; nan and -nan by their sign.
#pragma once
#include <lanesort/lanesort.h>

#include <cstddef>
#include <string>

namespace lanesort::cli {

std::string key_text(lanesort_dtype dtype, const std::byte* key);

}  // namespace lanesort::cli
