// What a sort dispatches and where everything stands in scratch: the twin of src/plan/portable/plan.cpp, held to it by
// the plans in tests/data/plans. Pure arithmetic over request, capabilities and limits.

import { binding, chunk, control, flag, limit, message, offset, type Kernel, type Step } from "./contract.js";
import { makeKeyOrder, onesBetween, type KeyKind, type NanPlace } from "./order.js";
import { blockSegmentsFor, chunkTilesFor, groupsFor, known, mostGroups, plainShapes, radixOf, segmentsBytesOf, segmentShares, sharedBytesOf, singlePass, singlePassBytesOf, smallWorkgroup, subgroupShapes, tileOf, type Shape } from "./shapes.js";
import { planTopK } from "./top_k.js";

export interface Request {
  operation: "sort" | "sort_pairs" | "argsort" | "top_k";
  kind: KeyKind;
  keyBits: number;
  mantissaBits: number;  // floats alone
  descending: boolean;
  nan: NanPlace;
  bitBegin: number;
  bitEnd: number;
  valueBytes: number;
  initialValues: boolean;  // argsort, top_k: the caller's, in place of indices
  keysInPlace: boolean;
  valuesInPlace: boolean;
  count: number;  // the bound, where the count stands on the device
  segmented: boolean;  // only what lies in segments is sorted, each by itself
  segmentCount: number;
  segmentEnds: boolean;   // ends have a list of their own
  localIndices: boolean;  // count from their segment's begin
  k: number;  // top_k: how many; more than there are is all of them
  keysWanted: boolean;  // top_k: false: values alone
}

// What the device was made with.
export interface Capabilities {
  subgroups: boolean;
  subgroupMin: number;
  subgroupMax: number;
  workgroupBytes: number;
  workgroupInvocations: number;
  workgroups: number;
  bindingBytes: number;
  bufferBytes: number;
}

export const leastCapabilities: Capabilities = {
  subgroups: false, subgroupMin: 0, subgroupMax: 0, workgroupBytes: 16384, workgroupInvocations: 256, workgroups: 65535,
  bindingBytes: 134217728, bufferBytes: 268435456,
};

// reduce_then_scan: no workgroup waits for another. single_pass: they do, but never for long.
export type Form = "tuned" | "reduce_then_scan" | "single_pass";

// What a caller may ask for, and what tests shrink. 0: as tuned.
export interface Limits {
  workgroup: number;
  items: number;
  radixBits: number;
  groups: number;
  noSmall: boolean;  // even few items go by passes
  noSubgroups: boolean;
  form: Form;
  looks: number;     // single pass: at a message that is not there before the tile is counted
  withheld: number;  // single pass: 0, or every so many-th tile tells nothing
}

export const noLimits: Limits = {
  workgroup: 0, items: 0, radixBits: 0, groups: 0, noSmall: false, noSubgroups: false, form: "tuned", looks: 0, withheld: 0,
};

export type BufferRole = "scratch" | "keys_src" | "keys_dst" | "values_src" | "values_dst" | "count" | "segment_begins" | "segment_ends";

export interface Slice {
  role: BufferRole;
  offset: number;
  bytes: number;  // 0: the whole buffer of the role (count)
}
export type BindingSet = Slice[];  // by the numbers of the contract's bindings

export interface Dispatch {
  kernel: Kernel;
  step: number;      // which of the plan's
  bindings: number;  // which of the plan's
  workgroups: number;
  byArgs: boolean;  // the caller's dispatch arguments may stand in for `workgroups`
}

export type Refusal = "none" | "no_shape" | "binding_too_large" | "scratch_too_large";

export interface Plan {
  refusal: Refusal;
  asked: number;  // of the refusal
  limit: number;
  form: Form;
  shape: Shape;
  keyWords: number;
  valueWords: number;
  steps: Step[];
  dispatches: Dispatch[];
  bindings: BindingSet[];
  scratchBytes: number;
  // In scratch, when the work is done: items given out that are not of the last key, a u32. Behind it, how many those are.
  sortedCountOffset: number;
}

// Kernels count items in 32 bits, each of at least 4 bytes in some binding, and leave a bit for strides above them.
const mostBindingBytes = 2 ** 33;

const noShape: Shape = { workgroup: 0, items: 0, radixBits: 0, rows: 0, subgroupMax: 0 };
export const ceilDiv = (a: number, b: number): number => Math.floor((a + b - 1) / b);
export const aligned = (bytes: number): number => ceilDiv(bytes, limit.sliceAlignBytes) * limit.sliceAlignBytes;

function shapeFor(row: Shape, subgroups: boolean, device: Capabilities, limits: Limits): Shape {
  const shape = { ...row };
  if (limits.workgroup !== 0) shape.workgroup = limits.workgroup;
  if (limits.items !== 0) shape.items = limits.items;
  if (limits.radixBits !== 0) shape.radixBits = limits.radixBits;
  if (subgroups) {
    shape.rows = ceilDiv(shape.workgroup, device.subgroupMin);
    shape.subgroupMax = device.subgroupMax;
  } else {
    shape.items = Math.min(shape.items, 15);  // counted in nibbles
  }
  return shape;
}

function fits(shape: Shape, segmented: boolean, device: Capabilities): boolean {
  // A workgroup that no whole number of subgroups fills could be dealt to more of them than there are rows.
  const whole = shape.rows === 0 || shape.workgroup % shape.subgroupMax === 0;
  return whole && (segmented ? segmentsBytesOf : sharedBytesOf)(shape) <= device.workgroupBytes && shape.workgroup <= device.workgroupInvocations &&
    tileOf(shape) <= limit.maxTile && radixOf(shape) <= device.workgroups;  // scan takes one a digit
}

// Are the device's shapes known for more than one kind of work?
const classKnown = (device: Capabilities): boolean =>
  device.subgroupMin === known.lanes && device.subgroupMax === known.lanes && device.workgroupBytes >= known.workgroupBytes;

// Do at least half the passes read keys of a word and nothing else?
const isLight = ({ operation, initialValues, keyBits, valueBytes, bitBegin, bitEnd }: Request): boolean =>
  keyBits <= 32 && (valueBytes === 0 || (operation === "argsort" && !initialValues && bitEnd - bitBegin <= 16));

// What such devices have for the work alone.
function shapesOfClass(request: Request, device: Capabilities): readonly Shape[] {
  if (!classKnown(device) || request.segmented || request.count <= tileOf(subgroupShapes[0]!)) return [];
  if (request.count <= known.middleItems) return [known.middle];
  return isLight(request) ? [known.light] : [];
}

// The first shape that the device holds; a workgroup of 0 where there is none.
function chooseShape(request: Request, device: Capabilities, limits: Limits): Shape {
  const bySubgroups = device.subgroups && !limits.noSubgroups && device.subgroupMin >= 4 && device.subgroupMax <= 128;
  const rows = bySubgroups ? [...shapesOfClass(request, device), ...subgroupShapes] : [];
  const shapes = rows.map((row) => shapeFor(row, true, device, limits));
  shapes.push(...plainShapes.map((row) => shapeFor(row, false, device, limits)));
  return shapes.find((shape) => fits(shape, request.segmented, device)) ?? noShape;
}

// For one workgroup alone: many invocations, and no more items of each than there are, by powers of two, so that kernels
// are few.
function smallShape(large: Shape, { count, segmented }: Request, device: Capabilities, limits: Limits): Shape {
  let shape = large;
  if (shape.rows !== 0 && limits.workgroup === 0) {
    const wide = {
      ...shape, workgroup: smallWorkgroup, rows: ceilDiv(smallWorkgroup, device.subgroupMin),
      items: ceilDiv(tileOf(shape), smallWorkgroup),
    };
    if (fits(wide, segmented, device)) shape = wide;
  }
  let items = 1;
  while (items < shape.items && items * shape.workgroup < count) items *= 2;
  return { ...shape, items: Math.min(items, shape.items) };
}

function orderStep(request: Request): Step {
  const order = makeKeyOrder(request.keyBits, request.kind, request.descending, request.nan, request.mantissaBits);
  const range = onesBetween(request.bitBegin, request.bitEnd);
  return {
    shift: 0, digit_mask: 0, pass_index: 0, pass_count: 0, bit_begin: request.bitBegin, radix_bits: 0, max_groups: 0, flags: 0,
    base_lo: order.base.lo, base_hi: order.base.hi,
    flip_lo: order.flip.lo, flip_hi: order.flip.hi,
    largest_lo: order.largest.lo, largest_hi: order.largest.hi,
    nan_lo: order.nanImage.lo, nan_hi: order.nanImage.hi,
    folded_lo: order.folded.lo, folded_hi: order.folded.hi,
    sign_lo: order.sign.lo, sign_hi: order.sign.hi,
    range_lo: range.lo, range_hi: range.hi,
    truth: order.truth ? 1 : 0,
    narrow_bits: 0,
    control_words: 0, looks: 0, withheld: 0, kept: 0xffffffff, room: 0, block_segments: 0, stretches: 0, chunk_tiles: 0,
  };
}

export function planSort(request: Request, device: Capabilities, limits: Limits = noLimits): Plan {
  if (request.operation === "top_k") return planTopK(request, device, limits);
  const shape = chooseShape(request, device, limits);
  const plan: Plan = {
    refusal: "none", asked: 0, limit: 0, form: "reduce_then_scan", shape, keyWords: 1, valueWords: 0, steps: [], dispatches: [], bindings: [],
    scratchBytes: 0, sortedCountOffset: 0,
  };
  if (shape.workgroup === 0) return { ...plan, refusal: "no_shape", asked: device.workgroupBytes };
  plan.keyWords = request.keyBits === 64 ? 2 : 1;
  plan.valueWords = request.valueBytes / 4;
  const { segmented, segmentCount } = request;
  if (request.count === 0 || (segmented && segmentCount === 0)) return plan;
  const itemBytes = 4 * Math.max(plan.keyWords, plan.valueWords);
  const mostBytes = Math.min(device.bindingBytes, mostBindingBytes);
  if (request.count > Math.floor(mostBytes / itemBytes)) {
    return { ...plan, refusal: "binding_too_large", asked: request.count * itemBytes, limit: mostBytes };
  }
  if (segmented && segmentCount > Math.floor(mostBytes / 4) - 1) return { ...plan, refusal: "binding_too_large", asked: segmentCount, limit: mostBytes };
  const tiles = ceilDiv(request.count, tileOf(shape));
  const small = tiles === 1 && (!limits.noSmall || segmented);
  if (small) plan.shape = smallShape(shape, request, device, limits);
  if (!small && !segmented && takesSinglePass(plan.shape, request, device, limits)) plan.form = "single_pass";
  const argsort = request.operation === "argsort";
  const iota = argsort && !request.initialValues;
  const narrow = request.keyBits < 32;
  const work: Work = {
    plan, request, device, limits, argsort, iota, narrow,
    small,
    sweeps: plan.form === "single_pass",
    passes: ceilDiv(request.bitEnd - request.bitBegin, plan.shape.radixBits),
    groups: Math.min(limits.groups !== 0 ? Math.min(tiles, limits.groups) : groupsFor(tiles, plan.shape), device.workgroups),
    streaming: Math.min(tiles, mostGroups),
    // The keys that the passes see stand in scratch from the start: unpacked ones.
    passesInPlace: narrow || (!argsort && request.keysInPlace),
    valuesInPlace: request.valuesInPlace && !iota,
    segments: segmented ? segmentsOf(request, plan.shape, device, limits) : noSegments,
  };
  layOutScratch(work);
  makeSteps(work);
  makeDispatches(work);
  checkLimits(work);
  // A single pass' messages may have been too much.
  const tooMuch = plan.form === "single_pass" && plan.refusal !== "none";
  return tooMuch ? planSort(request, device, { ...limits, form: "reduce_then_scan" }) : plan;
}

function takesSinglePass(shape: Shape, request: Request, device: Capabilities, limits: Limits): boolean {
  const wanted = limits.form === "single_pass" || (limits.form === "tuned" && shape.rows !== 0 && classKnown(device) && request.count <= singlePass.items);
  const tileLarge = tileOf(shape) >= singlePass.tile || limits.workgroup !== 0;  // shrunk by a test
  return wanted && tileLarge && request.count <= message.count && singlePassBytesOf(shape) <= device.workgroupBytes;
}

// How segments are shared out: those whose chunks a workgroup finds, those that one sorts if they fit a tile, a chunk's tiles,
// and the most chunks that there can be, for each long segment has one at most that is not full.
interface Segments {
  stretches: number;
  block: number;
  chunkTiles: number;
  chunks: number;
}
const noSegments: Segments = { stretches: 0, block: 0, chunkTiles: 0, chunks: 0 };

function segmentsOf({ count, segmentCount }: Request, shape: Shape, device: Capabilities, limits: Limits): Segments {
  const tile = tileOf(shape);
  const chunkTiles = chunkTilesFor(Math.floor(count / tile), limits.groups);
  const longs = Math.min(segmentCount, Math.floor(count / (tile + 1)));
  return {
    stretches: Math.min(ceilDiv(segmentCount, segmentShares.stretchSegments), segmentShares.stretches, device.workgroups),
    block: blockSegmentsFor(tile, count, segmentCount),
    chunkTiles,
    chunks: longs === 0 ? 0 : Math.floor(count / (tile * chunkTiles)) + longs,
  };
}

interface Work {
  plan: Plan;
  request: Request;
  device: Capabilities;
  limits: Limits;
  argsort: boolean;
  iota: boolean;
  narrow: boolean;
  small: boolean;
  sweeps: boolean;
  passes: number;
  groups: number;
  streaming: number;
  passesInPlace: boolean;
  valuesInPlace: boolean;
  segments: Segments;
}

// Control's words that are not messages, in whole slices.
function controlWordsOf({ plan, sweeps, passes }: Work): number {
  return aligned(4 * Math.max(control.words, control.totals + (sweeps ? passes * radixOf(plan.shape) : 0))) / 4;
}

function layOutScratch(work: Work): void {
  const { plan, request, argsort, iota, narrow, small, sweeps, groups, passesInPlace, valuesInPlace, segments } = work;
  const take = (bytes: number): Slice => {
    const slice: Slice = { role: "scratch", offset: plan.scratchBytes, bytes };
    plan.scratchBytes += aligned(bytes);
    return slice;
  };
  const user = (role: BufferRole, itemBits: number): Slice => ({ role, offset: 0, bytes: ceilDiv(request.count * itemBits, 32) * 4 });

  const messageWords = sweeps ? 2 * ceilDiv(request.count, tileOf(plan.shape)) * radixOf(plan.shape) : 0;
  const controlSlice = take(4 * (controlWordsOf(work) + messageWords + segments.stretches + chunk.words * segments.chunks));
  plan.sortedCountOffset = controlSlice.offset + control.sortedCount * 4;
  const counts = small || sweeps ? undefined : take((request.segmented ? segments.chunks : groups) * radixOf(plan.shape) * 4);
  const spare = Array.from({ length: 8 }, () => take(limit.sliceAlignBytes));

  const keyBytes = 4 * plan.keyWords * request.count;
  const valueBytes = 4 * plan.valueWords * request.count;
  const main: BindingSet = [...spare];
  main[binding.control] = controlSlice;
  if (narrow || (argsort && !small)) main[binding.keysDst] = take(keyBytes);
  else if (!argsort) main[binding.keysDst] = user("keys_dst", request.keyBits);
  if (!passesInPlace) main[binding.keysSrc] = user("keys_src", request.keyBits);
  if (!small) main[binding.keysAlt] = take(keyBytes);
  if (plan.valueWords !== 0) {
    main[binding.valuesDst] = user("values_dst", 8 * request.valueBytes);
    if (!iota && !valuesInPlace) main[binding.valuesSrc] = user("values_src", 8 * request.valueBytes);
    if (!small) main[binding.valuesAlt] = take(valueBytes);
  }
  // The kernels that look at the caller's count find it where the others have their counts.
  const first: BindingSet = [...main];
  first[binding.counts] = { role: "count", offset: 0, bytes: 0 };
  if (counts !== undefined) main[binding.counts] = counts;
  plan.bindings.push(first, main);
  if (narrow) {
    // Outside the passes: the caller's packed keys on one side, the unpacked ones as the alternate.
    const edge: BindingSet = [...spare];
    edge[binding.control] = controlSlice;
    edge[binding.keysAlt] = main[binding.keysDst]!;
    if (!argsort) edge[binding.keysDst] = user("keys_dst", request.keyBits);
    if (argsort || !request.keysInPlace) edge[binding.keysSrc] = user("keys_src", request.keyBits);
    plan.bindings.push(edge);
  }
  if (request.segmented) layOutOffsets(plan, request);
}

// The sets from main on again, for the kernels that look at offsets.
function layOutOffsets(plan: Plan, { segmentCount, segmentEnds }: Request): void {
  for (const set of plan.bindings.slice(1)) {
    const withOffsets: BindingSet = [...set];
    withOffsets[offset.begins] = { role: "segment_begins", offset: 0, bytes: 4 * (segmentCount + (segmentEnds ? 0 : 1)) };
    if (segmentEnds) withOffsets[offset.ends] = { role: "segment_ends", offset: 0, bytes: 4 * segmentCount };
    plan.bindings.push(withOffsets);
  }
}

function makeSteps(work: Work): void {
  const { plan, request, limits, argsort, iota, narrow, sweeps, passes, groups, passesInPlace, valuesInPlace, segments } = work;
  const bits = plan.shape.radixBits;
  const width = request.bitEnd - request.bitBegin;
  const plain = request.kind === "unsigned_integer" || request.kind === "signed_integer";
  const ends = request.segmentEnds ? flag.ends : 0;
  const step: Step = {
    ...orderStep(request),
    radix_bits: bits,
    max_groups: request.segmented ? 0 : groups,  // of segments the chunks, and they are not known yet
    block_segments: segments.block,
    stretches: segments.stretches,
    chunk_tiles: segments.chunkTiles,
    narrow_bits: narrow ? request.keyBits : 32,
    pass_count: passes,
    control_words: controlWordsOf(work),
    looks: !sweeps ? 0 : limits.looks !== 0 ? limits.looks : singlePass.looks,
    withheld: sweeps ? limits.withheld : 0,
    flags: (passesInPlace ? flag.keysInPlace : 0) | (valuesInPlace ? flag.valuesInPlace : 0) | (argsort ? flag.argsort : 0) |
      (iota ? flag.iota : 0) | (plain ? flag.plain : 0) | ends | (request.localIndices ? flag.local : 0),
  };
  // A range of no bits has a step all the same: its survey counts, and finish moves what there is to move.
  for (let pass = 0; pass < Math.max(step.pass_count, 1); ++pass) {
    const shift = request.bitBegin + pass * bits;
    plan.steps.push({
      ...step,
      pass_index: pass,
      shift: width === 0 ? 0 : shift,
      digit_mask: width === 0 ? 0 : (1 << Math.min(bits, request.bitEnd - shift)) - 1,
      flags: step.flags | (pass === 0 ? flag.survey : 0),
    });
  }
  if (narrow) plan.steps.push({ ...step, flags: (!argsort && request.keysInPlace ? flag.keysInPlace : 0) | ends });
}

type Add = (kernel: Kernel, step: number, bindings: number, workgroups: number, byArgs?: boolean) => void;
const [first, main, edge] = [0, 1, 2] as const;  // sets of bindings

function makeDispatches(work: Work): void {
  const { plan, device, argsort, narrow, small, sweeps, passes, groups, streaming } = work;
  const add: Add = (kernel, step, bindings, workgroups, byArgs = false) => {
    plan.dispatches.push({ kernel, step, bindings, workgroups: Math.min(workgroups, device.workgroups), byArgs });
  };
  if (work.request.segmented) return makeSegmentDispatches(work, add);
  const edgeStep = plan.steps.length - 1;
  if (!small || narrow) add("begin", 0, first, 1);
  if (narrow) add("unpack", edgeStep, edge, streaming);
  if (small) {
    add("small", 0, first, 1);
  } else if (sweeps) {
    add("tally", 0, main, groups, true);
    for (let pass = 0; pass < passes; ++pass) add("sweep", pass, main, groups, true);
    add("finish", 0, main, streaming);
  } else {
    if (passes === 0) add("count", 0, main, groups, true);
    for (let pass = 0; pass < passes; ++pass) {
      add("count", pass, main, groups, true);
      add("scan", pass, main, radixOf(plan.shape));
      add("scatter", pass, main, groups, true);
    }
    add("finish", 0, main, streaming);
  }
  if (narrow && !argsort) add("pack", edgeStep, edge, streaming);
}

function makeSegmentDispatches({ plan, request, argsort, narrow, passes, streaming, segments }: Work, add: Add): void {
  const edgeStep = plan.steps.length - 1;
  const chunkGroups = Math.min(segments.chunks, segmentShares.chunkGroups);
  const withOffsets = (set: number): number => set + (narrow ? 2 : 1);
  add("begin", 0, first, 1);
  if (narrow) add("unpack", edgeStep, edge, streaming);
  add("segment_sums", 0, withOffsets(main), segments.stretches);
  if (segments.chunks !== 0) add("segment_list", 0, withOffsets(main), segments.stretches);
  add("segments", 0, withOffsets(main), ceilDiv(request.segmentCount, segments.block));
  for (let pass = 0; pass < passes && segments.chunks !== 0; ++pass) {
    add("segment_count", pass, main, chunkGroups);
    add("scan", pass, main, radixOf(plan.shape));
    add("segment_scatter", pass, main, chunkGroups);
  }
  if (segments.chunks !== 0) add("segment_finish", 0, main, chunkGroups);
  if (!narrow || argsort) return;
  if (request.keysInPlace) add("pack", edgeStep, edge, streaming);
  else add("segment_pack", edgeStep, withOffsets(edge), streaming);
}

/** A plan whose slices or scratch the device cannot hold is refused. */
export function checkLimits({ plan, device }: Pick<Work, "plan" | "device">): void {
  const refuse = (refusal: Refusal, asked: number, most: number): void => void Object.assign(plan, { refusal, asked, limit: most });
  const large = plan.bindings.flat().find((slice) => slice.bytes > device.bindingBytes);
  if (large !== undefined) refuse("binding_too_large", large.bytes, device.bindingBytes);
  else if (plan.scratchBytes > device.bufferBytes) refuse("scratch_too_large", plan.scratchBytes, device.bufferBytes);
}
