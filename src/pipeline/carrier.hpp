// Carries host bytes to a device and back. Pinned memory is copied by the device itself; other memory goes through two
// pinned pieces, filled or emptied by several threads while the device copies the other piece.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "cpu/team.hpp"
#include "pipeline/device.hpp"
#include "tune/host_copies.hpp"

namespace lanesort {
inline namespace v1 {
namespace pipeline {

struct Stretch {
  const std::byte* data;
  std::uint64_t bytes;
};

// Bytes to be carried up: stretches of memory one after the other, or numbers counting up.
struct Cargo {
  std::vector<Stretch> stretches;
  std::uint64_t bytes = 0;
  std::uint32_t number_bytes = 0;  // 4 or 8: numbers of as many bytes instead of stretches
  std::uint64_t first_number = 0;

  void add(const std::byte* data, std::uint64_t stretch_bytes) {
    if (stretch_bytes != 0) stretches.push_back({data, stretch_bytes});
    bytes += stretch_bytes;
  }
};

// Bytes [offset, offset + bytes) of the cargo.
void copy_cargo(const Cargo& cargo, std::uint64_t offset, std::byte* to, std::uint64_t bytes) noexcept;

class Carrier {
 public:
  // One way: Lane::up or Lane::down.
  Carrier(Device& device, Lane lane, const tune::HostCopies& shape) noexcept;

  // All that is copied is in the lane, or in its pieces, when these return; `to` of down() is whole.
  lanesort_status up(const Cargo& cargo, std::byte* to) noexcept;
  lanesort_status down(const std::byte* from, std::byte* to, std::uint64_t bytes) noexcept;

 private:
  lanesort_status set_out() noexcept;
  lanesort_status empty(std::uint32_t piece, std::byte* to, std::uint64_t bytes) noexcept;
  bool pinned(const std::byte* data, std::uint64_t bytes) const noexcept;
  bool needs_pieces(const Cargo& cargo) const noexcept;
  std::byte* piece(std::uint32_t p) const noexcept { return pieces_.data() + p * shape_.piece_bytes; }
  // Body of [begin, end), in shares of whole 64-byte lines, so that threads write lines of their own.
  template <class Body>
  void share(std::uint64_t bytes, Body&& body) noexcept;

  Device& device_;
  tune::HostCopies shape_;
  std::optional<cpu::Team> team_;  // with the pieces, when they are first needed
  Memory pieces_;
  Mark first_mark_;
  std::uint64_t turn_ = 0;  // pieces used so far
};

}  // namespace pipeline
}  // namespace v1
}  // namespace lanesort
