#include "webgpu/text.hpp"

#include <string_view>

namespace lanesort {
inline namespace v1 {
namespace webgpu {
namespace {

struct Part {
  std::string_view name, text;
};

// kernels/wgsl, brought in when the library is built.
constexpr Part kParts[] = {
#include "webgpu_parts.inc"
};

std::string_view part(std::string_view name) {
  for (const Part& candidate : kParts) {
    if (candidate.name == name) return candidate.text;
  }
  return {};
}

std::string literal(const char* name, std::uint32_t value) {
  return std::string("const ") + name + " = " + std::to_string(value) + "u;\n";
}

std::string literals(const plan::PortablePlan& plan) {
  const tune::PortableShape& shape = plan.shape;
  return literal("WORKGROUP", shape.workgroup) + literal("ITEMS", shape.items) + literal("TILE", shape.tile()) +
         literal("RADIX_BITS", shape.radix_bits) + literal("RADIX", shape.radix()) + literal("ROWS", shape.rows) +
         literal("SUBGROUP_MAX", shape.subgroup_max);
}

// "key" and its like stand for the part that the variant takes.
std::string part_name(const plan::PortablePlan& plan, std::string_view name) {
  if (name == "key") return plan.key_words == 2 ? "key64" : "key32";
  if (name == "value") return "value" + std::to_string(plan.value_words);
  if (name == "place" || name == "rank" || name == "staging")
    return std::string(name) + (plan.shape.rows != 0 ? "_subgroups" : "_plain");
  return std::string(name);
}

// Loops over an invocation's items that are marked so are written out, a block an item. Left as loops some compilers
// keep the arrays they walk over in memory, not in registers (NVIDIA's does from 16 items on).
std::string unrolled(std::string_view text, std::uint32_t items) {
  constexpr std::string_view kHead = "for (var j = 0u; j < ITEMS; j++) {  // unrolled\n";
  std::string out;
  for (std::size_t head = text.find(kHead); head != std::string_view::npos; head = text.find(kHead)) {
    const std::size_t line = text.rfind('\n', head) + 1;
    const std::string indent(text.substr(line, head - line));
    const std::size_t begin = head + kHead.size(), end = text.find("\n" + indent + "}\n", begin) + 1;
    out += text.substr(0, line);
    for (std::uint32_t j = 0; j < items; ++j)
      out.append(indent + "{\n" + indent + "  let j = " + std::to_string(j) + "u;\n")
          .append(text.substr(begin, end - begin))
          .append(indent + "}\n");
    text.remove_prefix(end + indent.size() + 2);
  }
  return out.append(text);
}

}  // namespace

std::string kernel_text(const plan::PortablePlan& plan, contract::Kernel kernel) {
  std::string body = literals(plan);
  body += part("contract");
  bool subgroups = false;
  std::string_view names = contract::kKernelParts[static_cast<std::uint32_t>(kernel)];
  while (!names.empty()) {
    const std::size_t blank = names.find(' ');
    const std::string name = part_name(plan, names.substr(0, blank));
    subgroups |= name == "rank_subgroups";
    body += part(name);
    names = blank == std::string_view::npos ? std::string_view{} : names.substr(blank + 1);
  }
  body += part(contract::kKernelNames[static_cast<std::uint32_t>(kernel)]);
  return (subgroups ? "enable subgroups;\ndiagnostic(off, subgroup_uniformity);\n" : "") +
         unrolled(body, plan.shape.items);
}

std::string args_text(const plan::PortablePlan& plan) {
  const std::string tile = std::to_string(plan.shape.tile()), groups = std::to_string(plan.steps[0].max_groups);
  return "// How many workgroups the kernels that go by tiles should have for so many items.\n"
         "fn lanesort_write_args(count: u32) -> vec3<u32> {\n"
         "  let tiles = count / " +
         tile + "u + select(0u, 1u, count % " + tile +
         "u != 0u);\n"
         "  return vec3<u32>(clamp(tiles, 1u, " +
         groups +
         "u), 1u, 1u);\n"
         "}\n";
}

}  // namespace webgpu
}  // namespace v1
}  // namespace lanesort
