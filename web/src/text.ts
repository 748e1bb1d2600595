// The text of a kernel: the variant's literals, what the contract says, the parts in the contract's order, the kernel
// itself. The same files as everywhere, from kernels/wgsl; sizes are literals, because Safari runs workgroup arrays
// sized by `override` constants as empty ones.

import { kernelParts, type Kernel } from "./contract.js";
import { radixOf, tileOf, type Shape } from "./shapes.js";
import bases from "../../kernels/wgsl/bases.wgsl?raw";
import begin from "../../kernels/wgsl/begin.wgsl?raw";
import choice from "../../kernels/wgsl/choice.wgsl?raw";
import chunk from "../../kernels/wgsl/chunk.wgsl?raw";
import contract from "../../kernels/wgsl/contract.wgsl?raw";
import count from "../../kernels/wgsl/count.wgsl?raw";
import course from "../../kernels/wgsl/course.wgsl?raw";
import cut from "../../kernels/wgsl/cut.wgsl?raw";
import finish from "../../kernels/wgsl/finish.wgsl?raw";
import histogram from "../../kernels/wgsl/histogram.wgsl?raw";
import item_count from "../../kernels/wgsl/item_count.wgsl?raw";
import keep from "../../kernels/wgsl/keep.wgsl?raw";
import key32 from "../../kernels/wgsl/key32.wgsl?raw";
import key64 from "../../kernels/wgsl/key64.wgsl?raw";
import load from "../../kernels/wgsl/load.wgsl?raw";
import mapped from "../../kernels/wgsl/mapped.wgsl?raw";
import messages from "../../kernels/wgsl/messages.wgsl?raw";
import move from "../../kernels/wgsl/move.wgsl?raw";
import offsets from "../../kernels/wgsl/offsets.wgsl?raw";
import pack from "../../kernels/wgsl/pack.wgsl?raw";
import place_plain from "../../kernels/wgsl/place_plain.wgsl?raw";
import place_subgroups from "../../kernels/wgsl/place_subgroups.wgsl?raw";
import probe from "../../kernels/wgsl/probe.wgsl?raw";
import rank_plain from "../../kernels/wgsl/rank_plain.wgsl?raw";
import rank_subgroups from "../../kernels/wgsl/rank_subgroups.wgsl?raw";
import scan from "../../kernels/wgsl/scan.wgsl?raw";
import scatter from "../../kernels/wgsl/scatter.wgsl?raw";
import segment_count from "../../kernels/wgsl/segment_count.wgsl?raw";
import segment_finish from "../../kernels/wgsl/segment_finish.wgsl?raw";
import segment_list from "../../kernels/wgsl/segment_list.wgsl?raw";
import segment_pack from "../../kernels/wgsl/segment_pack.wgsl?raw";
import segment_scatter from "../../kernels/wgsl/segment_scatter.wgsl?raw";
import segment_sums from "../../kernels/wgsl/segment_sums.wgsl?raw";
import segments from "../../kernels/wgsl/segments.wgsl?raw";
import settle from "../../kernels/wgsl/settle.wgsl?raw";
import small from "../../kernels/wgsl/small.wgsl?raw";
import source from "../../kernels/wgsl/source.wgsl?raw";
import staging_plain from "../../kernels/wgsl/staging_plain.wgsl?raw";
import staging_subgroups from "../../kernels/wgsl/staging_subgroups.wgsl?raw";
import survey from "../../kernels/wgsl/survey.wgsl?raw";
import sweep from "../../kernels/wgsl/sweep.wgsl?raw";
import tally from "../../kernels/wgsl/tally.wgsl?raw";
import unpack from "../../kernels/wgsl/unpack.wgsl?raw";
import value0 from "../../kernels/wgsl/value0.wgsl?raw";
import value1 from "../../kernels/wgsl/value1.wgsl?raw";
import value2 from "../../kernels/wgsl/value2.wgsl?raw";
import value4 from "../../kernels/wgsl/value4.wgsl?raw";

export interface Variant {
  shape: Shape;
  keyWords: number;
  valueWords: number;
}

const files: Record<string, string> = {
  bases, begin, choice, chunk, contract, count, course, cut, finish, histogram, item_count, keep, key32, key64, load,
  mapped, messages, move, offsets, pack, place_plain, place_subgroups, probe, rank_plain, rank_subgroups, scan,
  scatter, segment_count, segment_finish, segment_list, segment_pack, segment_scatter, segment_sums, segments,
  settle, small, source, staging_plain, staging_subgroups, survey, sweep, tally, unpack, value0, value1, value2,
  value4,
};

function fileOf(part: string, { shape, keyWords, valueWords }: Variant): string {
  switch (part) {
    case "key": return keyWords === 2 ? "key64" : "key32";
    case "value": return `value${valueWords}`;
    case "place":
    case "rank":
    case "staging": return part + (shape.rows !== 0 ? "_subgroups" : "_plain");
    default: return part;
  }
}

function literals({ shape }: Variant): string {
  const numbers = {
    WORKGROUP: shape.workgroup, ITEMS: shape.items, TILE: tileOf(shape), RADIX_BITS: shape.radixBits, RADIX: radixOf(shape),
    ROWS: shape.rows, SUBGROUP_MAX: shape.subgroupMax,
  };
  return Object.entries(numbers).map(([name, value]) => `const ${name} = ${value}u;\n`).join("");
}

// Loops over an invocation's items that are marked so are written out, a block an item. Left as loops some compilers
// keep the arrays they walk over in memory, not in registers.
function unrolled(text: string, items: number): string {
  const loop = /^( *)for \(var j = 0u; j < ITEMS; j\+\+\) \{  \/\/ unrolled\n([^]*?\n)\1\}\n/gm;
  return text.replace(loop, (_, indent: string, body: string) =>
    Array.from({ length: items }, (_, j) => `${indent}{\n${indent}  let j = ${j}u;\n${body}${indent}}\n`).join(""));
}

// The entry point has the kernel's name.
export function kernelText(kernel: Kernel, variant: Variant): string {
  const parts = kernelParts[kernel].map((part) => fileOf(part, variant));
  const subgroups = parts.some((part) => part.endsWith("_subgroups"));
  const head = subgroups ? "enable subgroups;\ndiagnostic(off, subgroup_uniformity);\n" : "";
  return head + unrolled(literals(variant) + ["contract", ...parts, kernel].map((file) => files[file]).join(""), variant.shape.items);
}
