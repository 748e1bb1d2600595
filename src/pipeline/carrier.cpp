#include "pipeline/carrier.hpp"

#include <algorithm>
#include <cstring>

namespace lanesort {
inline namespace v1 {
namespace pipeline {
namespace {

template <class I>
void count_up(std::uint64_t first, std::uint64_t offset, std::byte* to, std::uint64_t bytes) {
  for (std::uint64_t done = 0; done < bytes; done += sizeof(I)) {
    const I number = static_cast<I>(first + (offset + done) / sizeof(I));
    std::memcpy(to + done, &number, sizeof number);
  }
}

}  // namespace

void copy_cargo(const Cargo& cargo, std::uint64_t offset, std::byte* to, std::uint64_t bytes) noexcept {
  if (cargo.number_bytes == 4) return count_up<std::uint32_t>(cargo.first_number, offset, to, bytes);
  if (cargo.number_bytes == 8) return count_up<std::uint64_t>(cargo.first_number, offset, to, bytes);
  for (const Stretch& stretch : cargo.stretches) {
    if (offset >= stretch.bytes) {
      offset -= stretch.bytes;
      continue;
    }
    const std::uint64_t taken = std::min(bytes, stretch.bytes - offset);
    std::memcpy(to, stretch.data + offset, taken);
    to += taken;
    bytes -= taken;
    offset = 0;
    if (bytes == 0) return;
  }
}

Carrier::Carrier(Device& device, Lane lane, const tune::HostCopies& shape) noexcept
    : device_(device), shape_(shape), pieces_(device),
      first_mark_(lane == Lane::up ? kPieceUp : kPieceDown) {}

template <class Body>
void Carrier::share(std::uint64_t bytes, Body&& body) noexcept {
  const std::uint32_t parts = bytes <= shape_.shared_bytes ? 1 : team_->threads();
  const std::uint64_t part = ((bytes + parts - 1) / parts + 63) / 64 * 64;
  team_->run(parts, [&](std::uint32_t p) {
    const std::uint64_t begin = std::min(bytes, p * part), end = std::min(bytes, begin + part);
    if (begin < end) body(begin, end);
  });
}

lanesort_status Carrier::set_out() noexcept {
  if (pieces_.data() != nullptr) return LANESORT_OK;
  team_.emplace(shape_.threads, nullptr);
  return pieces_.pin(kPieces * shape_.piece_bytes);
}

// Memory may be pinned in part.
bool Carrier::pinned(const std::byte* data, std::uint64_t bytes) const noexcept {
  return device_.is_pinned(data) && device_.is_pinned(data + bytes - 1);
}

bool Carrier::needs_pieces(const Cargo& cargo) const noexcept {
  if (cargo.number_bytes != 0) return cargo.bytes != 0;
  return cargo.bytes > shape_.direct_bytes &&
         !std::all_of(cargo.stretches.begin(), cargo.stretches.end(),
                      [this](const Stretch& stretch) { return pinned(stretch.data, stretch.bytes); });
}

lanesort_status Carrier::up(const Cargo& cargo, std::byte* to) noexcept {
  lanesort_status status = LANESORT_OK;
  if (!needs_pieces(cargo)) {
    for (const Stretch& stretch : cargo.stretches) {
      if (status == LANESORT_OK) status = device_.upload(to, stretch.data, stretch.bytes);
      to += stretch.bytes;
    }
    return status;
  }
  status = set_out();
  for (std::uint64_t begin = 0; status == LANESORT_OK && begin < cargo.bytes; begin += shape_.piece_bytes) {
    const std::uint32_t p = static_cast<std::uint32_t>(turn_++ % kPieces);
    std::byte* const at = piece(p);
    const std::uint64_t bytes = std::min(shape_.piece_bytes, cargo.bytes - begin);
    // The copy that last read this piece must be over.
    if ((status = device_.finish(first_mark_ + p)) != LANESORT_OK) return status;
    share(bytes, [&](std::uint64_t from, std::uint64_t end) { copy_cargo(cargo, begin + from, at + from, end - from); });
    status = device_.upload(to + begin, at, bytes);
    if (status == LANESORT_OK) status = device_.mark(first_mark_ + p, Lane::up);
  }
  return status;
}

// Waits for the piece's copy and puts its bytes where they belong.
lanesort_status Carrier::empty(std::uint32_t p, std::byte* to, std::uint64_t bytes) noexcept {
  const lanesort_status status = device_.finish(first_mark_ + p);
  if (status != LANESORT_OK) return status;
  share(bytes, [&](std::uint64_t begin, std::uint64_t end) { std::memcpy(to + begin, piece(p) + begin, end - begin); });
  return LANESORT_OK;
}

lanesort_status Carrier::down(const std::byte* from, std::byte* to, std::uint64_t bytes) noexcept {
  if (bytes == 0) return LANESORT_OK;
  if (bytes <= shape_.direct_bytes || pinned(to, bytes)) {
    lanesort_status status = device_.download(to, from, bytes);
    if (status == LANESORT_OK) status = device_.mark(kDownloaded, Lane::down);
    return status == LANESORT_OK ? device_.finish(kDownloaded) : status;
  }
  lanesort_status status = set_out();
  const std::uint64_t size = shape_.piece_bytes, pieces = (bytes + size - 1) / size;
  const auto place_of = [](std::uint64_t i) { return static_cast<std::uint32_t>(i % kPieces); };
  const auto bytes_of = [&](std::uint64_t i) { return std::min(size, bytes - i * size); };
  // One piece comes while the one before is emptied.
  for (std::uint64_t i = 0; status == LANESORT_OK && i <= pieces; ++i) {
    if (i < pieces) {
      status = device_.download(piece(place_of(i)), from + i * size, bytes_of(i));
      if (status == LANESORT_OK) status = device_.mark(first_mark_ + place_of(i), Lane::down);
    }
    if (status == LANESORT_OK && i > 0) status = empty(place_of(i - 1), to + (i - 1) * size, bytes_of(i - 1));
  }
  return status;
}

}  // namespace pipeline
}  // namespace v1
}  // namespace lanesort
