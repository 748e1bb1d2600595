// Carries host bytes to a device and back. Pinned memory is copied by the device itself; other memory goes through a few
// pinned pieces, filled or emptied by several threads while the device copies another piece.
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
    bytes += stretch_bytes;
    if (stretch_bytes == 0) return;
    if (!stretches.empty() && stretches.back().data + stretches.back().bytes == data)
      stretches.back().bytes += stretch_bytes;
    else
      stretches.push_back({data, stretch_bytes});
  }
};

// Bytes [offset, offset + bytes) of the cargo.
void copy_cargo(const Cargo& cargo, std::uint64_t offset, std::byte* to, std::uint64_t bytes) noexcept;

class Carrier {
 public:
  // At one time of one way: Lane::up or Lane::down. What went the other way must be over.
  Carrier(Device& device, Lane lane, const tune::HostCopies& shape) noexcept;

  // All that is copied is in the lane, or in its pieces, when these return; `to` of down() is whole.
  lanesort_status up(const Cargo& cargo, std::byte* to) noexcept;
  lanesort_status down(const std::byte* from, std::byte* to, std::uint64_t bytes) noexcept;

  // Body of each number below count by the carrier's threads. They touch so many bytes in all.
  template <class Body>
  void each(std::uint64_t count, std::uint64_t bytes, Body&& body) noexcept {
    if (bytes > shape_.shared_bytes)
      return team().run(static_cast<std::uint32_t>(count), [&](std::uint32_t i) { body(i); });
    for (std::uint64_t i = 0; i < count; ++i) body(i);
  }

 private:
  lanesort_status set_out() noexcept;
  // Bytes [begin, end) of the cargo, to their place in `to`.
  lanesort_status up_through_pieces(const Cargo& cargo, std::uint64_t begin, std::uint64_t end, std::byte* to) noexcept;
  lanesort_status empty(std::uint32_t piece, std::byte* to, std::uint64_t bytes) noexcept;
  bool pinned(const std::byte* data, std::uint64_t bytes) const noexcept;
  std::byte* piece(std::uint32_t p) const noexcept { return pieces_.data() + p * shape_.piece_bytes; }
  cpu::Team& team() noexcept;
  // Body of [begin, end), in shares of whole 64-byte lines, so that threads write lines of their own.
  template <class Body>
  void share(std::uint64_t bytes, Body&& body) noexcept;

  Device& device_;
  tune::HostCopies shape_;
  std::optional<cpu::Team> team_;  // when it is first needed, and so are the pieces
  Memory pieces_;
  Mark first_mark_;
  std::uint64_t turn_ = 0;  // pieces used so far
};

}  // namespace pipeline
}  // namespace v1
}  // namespace lanesort
