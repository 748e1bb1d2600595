#include "pipeline/carrier.hpp"

#include <algorithm>
#include <cstring>
#include <thread>

#include "pipeline/copy.hpp"

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

cpu::Team& Carrier::team() noexcept {
  if (!team_) team_.emplace(std::min(shape_.threads, std::max(1u, std::thread::hardware_concurrency())), nullptr);
  return *team_;
}

template <class Body>
void Carrier::share(std::uint64_t bytes, Body&& body) noexcept {
  if (bytes <= shape_.shared_bytes) return body(std::uint64_t{0}, bytes);
  const std::uint32_t parts = team().threads();
  const std::uint64_t part = ((bytes + parts - 1) / parts + 63) / 64 * 64;
  team().run(parts, [&](std::uint32_t p) {
    const std::uint64_t begin = std::min(bytes, p * part), end = std::min(bytes, begin + part);
    if (begin < end) body(begin, end);
  });
}

lanesort_status Carrier::set_out() noexcept {
  return pieces_.data() != nullptr ? LANESORT_OK : pieces_.pin(kPieces * shape_.piece_bytes);
}

// Memory may be pinned in part.
bool Carrier::pinned(const std::byte* data, std::uint64_t bytes) const noexcept {
  return device_.is_pinned(data) && device_.is_pinned(data + bytes - 1);
}

lanesort_status Carrier::up(const Cargo& cargo, std::byte* to) noexcept {
  if (cargo.number_bytes != 0) return up_through_pieces(cargo, 0, cargo.bytes, to);
  // What the device does not read by itself is gathered, as far as it goes one after the other.
  lanesort_status status = LANESORT_OK;
  std::uint64_t gathered = 0, begin = 0;
  for (const Stretch& stretch : cargo.stretches) {
    if (cargo.bytes <= shape_.direct_bytes || pinned(stretch.data, stretch.bytes)) {
      status = up_through_pieces(cargo, gathered, begin, to);
      if (status == LANESORT_OK) status = device_.upload(to + begin, stretch.data, stretch.bytes);
      if (status != LANESORT_OK) return status;
      gathered = begin + stretch.bytes;
    }
    begin += stretch.bytes;
  }
  return up_through_pieces(cargo, gathered, begin, to);
}

lanesort_status Carrier::up_through_pieces(const Cargo& cargo, std::uint64_t begin, std::uint64_t end,
                                           std::byte* to) noexcept {
  lanesort_status status = begin < end ? set_out() : LANESORT_OK;
  for (; status == LANESORT_OK && begin < end; begin += shape_.piece_bytes) {
    const std::uint32_t p = static_cast<std::uint32_t>(turn_++ % kPieces);
    std::byte* const at = piece(p);
    const std::uint64_t bytes = std::min(shape_.piece_bytes, end - begin);
    // The copy that last read this piece must be over.
    if ((status = device_.finish(first_mark_ + p)) != LANESORT_OK) return status;
    share(bytes,
          [&](std::uint64_t from, std::uint64_t stop) { copy_cargo(cargo, begin + from, at + from, stop - from); });
    status = device_.upload(to + begin, at, bytes);
    if (status == LANESORT_OK) status = device_.mark(first_mark_ + p, Lane::up);
  }
  return status;
}

// Waits for the piece's copy and puts its bytes where they belong.
lanesort_status Carrier::empty(std::uint32_t p, std::byte* to, std::uint64_t bytes) noexcept {
  const lanesort_status status = device_.finish(first_mark_ + p);
  if (status != LANESORT_OK) return status;
  share(bytes,
        [&](std::uint64_t begin, std::uint64_t end) { copy_past_caches(to + begin, piece(p) + begin, end - begin); });
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
  const std::uint64_t size = shape_.piece_bytes, pieces = (bytes + size - 1) / size, ahead = kPieces - 1;
  const auto place_of = [](std::uint64_t i) { return static_cast<std::uint32_t>(i % kPieces); };
  const auto bytes_of = [&](std::uint64_t i) { return std::min(size, bytes - i * size); };
  // The others come while one is emptied.
  for (std::uint64_t i = 0; status == LANESORT_OK && i < pieces + ahead; ++i) {
    if (i < pieces) {
      status = device_.download(piece(place_of(i)), from + i * size, bytes_of(i));
      if (status == LANESORT_OK) status = device_.mark(first_mark_ + place_of(i), Lane::down);
    }
    if (status == LANESORT_OK && i >= ahead && i - ahead < pieces)
      status = empty(place_of(i - ahead), to + (i - ahead) * size, bytes_of(i - ahead));
  }
  return status;
}

}  // namespace pipeline
}  // namespace v1
}  // namespace lanesort
