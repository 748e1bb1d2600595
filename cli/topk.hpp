// Where the results of topk go: keys, and their places if they were asked for.
#pragma once
#include <memory>
#include <vector>

#include "io/output.hpp"
#include "options.hpp"
#include "report.hpp"

namespace lanesort::cli {

class TopKOutputs {
 public:
  TopKOutputs(const Options& options, Format otherwise);

  io::Output& keys() { return keys_; }
  Format keys_format() const { return keys_format_; }
  bool wants_places() const { return indices_ != nullptr; }
  // shape: of an .npy, where it is not one-dimensional.
  void write_places(const io::Buffer& indices, std::uint32_t index_bytes, Report& report,
                    const std::vector<std::uint64_t>& shape = {});
  void commit();

 private:
  Format keys_format_, indices_format_;
  io::Output keys_;
  std::unique_ptr<io::Output> indices_;
};

}  // namespace lanesort::cli
