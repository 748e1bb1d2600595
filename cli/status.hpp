// How commands end other than by running through. Exit status: 0 good, 1 check or verify says no, 2 usage or trouble,
// 3 the device that was asked for is missing, 130 interrupted.
#pragma once
#include <stdexcept>

namespace lanesort::cli {

inline constexpr int kGood = 0, kSaysNo = 1, kTrouble = 2, kNoDevice = 3;

class Usage : public std::runtime_error {  // exit 2, with a pointer to the help
 public:
  using std::runtime_error::runtime_error;
};

class DeviceMissing : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace lanesort::cli
