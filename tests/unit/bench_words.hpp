// What a call that must fail says.
#pragma once
#include <string>

#include "bench/patterns.hpp"

namespace lanesort::bench {

std::string what_is_said(const auto& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

}  // namespace lanesort::bench
