// Numbers written out in the order of their references.
//
// Invariant: the sink gets every byte once and in order, whichever thread filled the block.
// The references jump about in the text, so the cost is cache misses: the writer looks ahead and fetches early.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>

#include "io/chunk.hpp"
#include "io/text.hpp"
#include "io/workers.hpp"

namespace lanesort::io {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
constexpr std::size_t kShortCopy = 16;
constexpr std::size_t kAhead = 32;  // references

// What stands between two numbers, and round all of them.
struct Punctuation {
  std::string_view open, between, close;
};

Punctuation punctuation(TextFormat format, bool empty) {
  if (format == TextFormat::json) return {"[", ", ", "]\n"};
  return {"", "\n", empty ? "" : "\n"};
}

void prefetch(const NumberText& job, std::span<const std::uint64_t> refs, std::size_t i) {
  if (i >= refs.size()) return;
  const char* const number = job.text.data() + reference_offset(refs[i]);
  __builtin_prefetch(number);
  __builtin_prefetch(number + reference_length(refs[i]));  // often in the next cache line
}

// The output in blocks, that the threads take in turn and give to the sink in the order they took them.
class BlockWriter {
 public:
  BlockWriter(const NumberText& job, std::span<const std::uint64_t> refs, const TextSink& sink)
      : job_(job), refs_(refs), sink_(sink), marks_(punctuation(job.format, refs.empty())) {}

  bool write() {
    if (!put(marks_.open)) return false;
    const std::size_t blocks = refs_.size() * (sizeof(std::uint64_t) + marks_.between.size()) / kBlockBytes + 1;
    run_on_threads(std::min<std::size_t>(job_.threads, blocks), [this] { fill_blocks(); });
    return good_ && put(marks_.close);
  }

 private:
  struct Block {
    std::size_t begin = 0, end = 0;  // references
    std::uint64_t turn = 0;
    bool giant = false;  // one number that no block can hold
  };

  bool put(std::string_view bytes) { return bytes.empty() || sink_({bytes.data(), bytes.size()}); }

  std::size_t bytes_of(std::size_t i) const { return number_at(job_, refs_[i]).size() + marks_.between.size(); }

  bool take(Block& block) {
    const std::lock_guard lock(mutex_);
    if (next_ == refs_.size() || !good_) return false;
    block = {next_, next_, turns_++, false};
    std::size_t bytes = 0;
    while (block.end < refs_.size() && (bytes += bytes_of(block.end)) <= kBlockBytes) ++block.end;
    block.giant = block.end == block.begin;
    if (block.giant) ++block.end;
    next_ = block.end;
    return true;
  }

  void fill_blocks() {
    // Before a turn is taken: a thread that fails here keeps nobody waiting.
    const auto buffer = std::make_unique_for_overwrite<char[]>(kBlockBytes + kShortCopy);
    for (Block block; take(block);) {
      const std::size_t bytes = block.giant ? 0 : fill(block, buffer.get());
      std::unique_lock lock(mutex_);
      turn_came_.wait(lock, [&] { return turn_ == block.turn; });
      lock.unlock();  // nobody else's turn comes before this one is over
      if (good_ && !(block.giant ? put_giant(block) : put({buffer.get(), bytes}))) good_ = false;
      lock.lock();
      ++turn_;
      turn_came_.notify_all();
    }
  }

  std::size_t fill(const Block& block, char* const buffer) const {
    const std::size_t last = refs_.size() - 1;
    char* at = buffer;
    for (std::size_t i = block.begin; i < block.end; ++i) {
      prefetch(job_, refs_, i + kAhead);
      const std::string_view number = number_at(job_, refs_[i]);
      const auto left = static_cast<std::size_t>(job_.text.data() + job_.text.size() - number.data());
      if (number.size() <= kShortCopy && left >= kShortCopy) {
        std::memcpy(at, number.data(), kShortCopy);  // of a fixed length: one load, one store
      } else {
        std::memcpy(at, number.data(), number.size());
      }
      at += number.size();
      if (i == last) break;
      for (const char mark : marks_.between) *at++ = mark;
    }
    return static_cast<std::size_t>(at - buffer);
  }

  bool put_giant(const Block& block) {
    return put(number_at(job_, refs_[block.begin])) && (block.end == refs_.size() || put(marks_.between));
  }

  const NumberText& job_;
  std::span<const std::uint64_t> refs_;
  const TextSink& sink_;
  Punctuation marks_;
  std::mutex mutex_;  // guards next_, turns_, turn_
  std::condition_variable turn_came_;
  std::size_t next_ = 0;
  std::uint64_t turns_ = 0;
  std::uint64_t turn_ = 0;
  std::atomic<bool> good_ = true;
};

}  // namespace

bool write_numbers(const NumberText& job, std::span<const std::uint64_t> refs, const TextSink& sink) {
  return BlockWriter(job, refs, sink).write();
}

}  // namespace lanesort::io
