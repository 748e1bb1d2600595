// Top-k, put together of sorts: the twin of src/plan/portable/top_k.cpp.

import { binding, control, flag, limit, type Step } from "./contract.js";
import { onesBetween } from "./order.js";
import { aligned, ceilDiv, checkLimits, planSort, type BindingSet, type BufferRole, type Capabilities, type Dispatch, type Limits, type Plan, type Request, type Slice } from "./plan.js";
import { groupsFor, mostGroups, radixOf, tileOf, topKRoom, topKSortsAll } from "./shapes.js";

const mostItems = 2 ** 31;  // indices, and strides above them, are 32 bits
const main = 1;  // of a sort's sets
const edge = 2;

// The sort of `count` items that a top-k ends with; its buffers are redirected afterwards.
const sortOf = (request: Request, count: number, inPlace: boolean): Request => ({
  ...request, operation: request.valueBytes !== 0 ? "sort_pairs" : "sort", count, k: 0, keysWanted: true, initialValues: false,
  keysInPlace: inPlace, valuesInPlace: inPlace && request.valueBytes !== 0,
});

interface Work {
  plan: Plan;
  sort: Plan;
  request: Request;
  device: Capabilities;
  limits: Limits;
  narrow: boolean;
  iota: boolean;
  kept: number;    // items given out at most
  sorted: number;  // and sorted for it
  searches: boolean;
  oneWorkgroup: boolean;
  spare: BindingSet;
  keptKeys: Slice;
  keptValues: Slice;
  searchControl: Slice;
}

export function planTopK(request: Request, device: Capabilities, limits: Limits): Plan {
  const nothing = planSort(sortOf(request, 0, false), device, limits);
  const tile = tileOf(nothing.shape);
  const kept = Math.min(request.k, request.count);
  if (tile === 0 || kept === 0) return nothing;
  const searches = request.count > tile && !topKSortsAll(request.count, kept);
  const sorted = searches ? topKRoom(request.count, kept, tile) : request.count;
  const oneWorkgroup = sorted <= tile && !limits.noSmall;
  // More items than 32 bits count are refused by either.
  if (request.count > mostItems) return planSort(sortOf(request, request.count, false), device, limits);
  const sort = planSort(sortOf(request, sorted, searches && !oneWorkgroup), device, limits);
  if (sort.refusal !== "none") return sort;
  const plan: Plan = { ...sort, steps: [], dispatches: [], bindings: [] };
  const spare = Array.from({ length: 8 }, () => take(plan, limit.sliceAlignBytes));
  const narrow = request.keyBits < 32;
  const work: Work = {
    plan, sort, request, device, limits, narrow, kept, sorted, searches, oneWorkgroup, spare,
    iota: request.valueBytes !== 0 && !request.initialValues,
    keptKeys: narrow ? sort.bindings[main]![binding.keysDst]! : spare[binding.keysAlt]!,
    keptValues: spare[binding.valuesAlt]!, searchControl: spare[binding.control]!,
  };
  takeKept(work);
  if (searches) addSearch(work);
  addSort(work);
  addCut(work);
  checkLimits(work);
  // The messages of its sort may have been too much.
  const tooMuch = plan.form === "single_pass" && plan.refusal !== "none";
  return tooMuch ? planTopK(request, device, { ...limits, form: "reduce_then_scan" }) : plan;
}

function take(plan: Plan, bytes: number): Slice {
  const slice: Slice = { role: "scratch", offset: plan.scratchBytes, bytes };
  plan.scratchBytes += aligned(bytes);
  return slice;
}

const user = (role: BufferRole, items: number, itemBits: number): Slice => ({ role, offset: 0, bytes: ceilDiv(items * itemBits, 32) * 4 });
const keysOut = ({ request, kept }: Work): Slice => user("keys_dst", kept, request.keyBits);
const valuesOut = ({ request, kept }: Work): Slice => user("values_dst", kept, 8 * request.valueBytes);

function add({ plan, device }: Work, dispatch: Dispatch): void {
  plan.dispatches.push({ ...dispatch, workgroups: Math.min(dispatch.workgroups, device.workgroups) });
}

// Where items stand between search and sort, or between sort and cut. Narrow keys have a place in the sort's scratch.
function takeKept(work: Work): void {
  const { plan, narrow, sorted, searches, oneWorkgroup } = work;
  if (oneWorkgroup && !searches) return;
  if (!narrow) work.keptKeys = take(plan, 4 * plan.keyWords * sorted);
  if (plan.valueWords !== 0) work.keptValues = take(plan, 4 * plan.valueWords * sorted);
}

function addSearch(work: Work): void {
  const { plan, request, device, limits } = work;
  const tiles = ceilDiv(request.count, tileOf(plan.shape));
  const groups = Math.min(limits.groups !== 0 ? Math.min(tiles, limits.groups) : groupsFor(tiles, plan.shape), device.workgroups);
  const passes = ceilDiv(request.bitEnd - request.bitBegin, plan.shape.radixBits);
  const controlWords = control.totals + passes * radixOf(plan.shape);
  addSearchSets(work, groups, controlWords);
  addSearchSteps(work, groups, passes, controlWords);
  add(work, { kernel: "begin", step: 0, bindings: 0, workgroups: 1, byArgs: false });
  for (let pass = 0; pass <= passes; ++pass) add(work, { kernel: "probe", step: pass, bindings: main, workgroups: groups, byArgs: true });
  add(work, { kernel: "keep", step: passes, bindings: main, workgroups: groups, byArgs: true });
}

// As a sort's: where the second has the counts the first has the caller's count.
function addSearchSets(work: Work, groups: number, controlWords: number): void {
  const { plan, request, spare, iota, keptKeys, keptValues } = work;
  work.searchControl = take(plan, 4 * controlWords);
  const set: BindingSet = [...spare];
  set[binding.control] = work.searchControl;
  set[binding.keysSrc] = user("keys_src", request.count, request.keyBits);
  set[binding.keysDst] = keptKeys;
  if (plan.valueWords !== 0) set[binding.valuesDst] = keptValues;
  if (plan.valueWords !== 0 && !iota) set[binding.valuesSrc] = user("values_src", request.count, 8 * request.valueBytes);
  const first: BindingSet = [...set];
  first[binding.counts] = { role: "count", offset: 0, bytes: 0 };
  // Counts by digit and group, and two numbers of each group.
  set[binding.counts] = take(plan, 4 * groups * (radixOf(plan.shape) + 2));
  plan.bindings.push(first, set);
}

// One a digit from the highest down, with what stands above its digit as its range, and one with all of it.
function addSearchSteps({ plan, sort, request, iota, kept, sorted }: Work, groups: number, passes: number, controlWords: number): void {
  const bits = plan.shape.radixBits;
  const first = sort.steps[0]!;
  const step: Step = {
    ...first, flags: (first.flags & flag.plain) | (iota ? flag.iota : 0), radix_bits: bits, max_groups: groups, control_words: controlWords,
    looks: 0, withheld: 0, kept, room: sorted,
  };
  for (let pass = 0; pass <= passes; ++pass) {
    const last = pass === passes;
    const above = request.bitBegin + (passes - pass) * bits;
    const shift = last ? 0 : above - bits;
    const range = onesBetween(Math.min(above, request.bitEnd), request.bitEnd);
    plan.steps.push({
      ...step, pass_index: pass, shift, digit_mask: last ? 0 : (1 << Math.min(bits, request.bitEnd - shift)) - 1,
      range_lo: range.lo, range_hi: range.hi,
    });
  }
}

// The sort's steps, sets and dispatches, with what it takes and gives where ours is.
function addSort(work: Work): void {
  const { plan, sort, request, searches, spare } = work;
  const [firstStep, firstSet] = [plan.steps.length, plan.bindings.length];
  plan.steps.push(...sort.steps.map((step) => sortStep(work, step)));
  plan.bindings.push(...sort.bindings.map((set, number) => set.map((slice, i) => redirected(work, slice, spare[i]!, number === edge))));
  for (const dispatch of sort.dispatches) {
    if (dispatch.kernel === "unpack" && searches) continue;  // keep did it
    if (dispatch.kernel === "pack" && !request.keysWanted) continue;
    // The caller's arguments are for all items.
    add(work, { ...dispatch, step: firstStep + dispatch.step, bindings: firstSet + dispatch.bindings, byArgs: dispatch.byArgs && !searches });
  }
}

const sortStep = ({ request, searches, iota, kept }: Work, step: Step): Step => ({
  ...step, kept,
  flags: step.flags | (searches ? flag.chosen : 0) | (iota && !searches ? flag.iota : 0) | (request.keysWanted ? 0 : flag.argsort),
});

function redirected(work: Work, slice: Slice, spare: Slice, atEdge: boolean): Slice {
  const { request, searches, iota, oneWorkgroup, keptKeys, keptValues } = work;
  switch (slice.role) {
    case "scratch": return slice;
    case "count": return searches ? work.searchControl : slice;
    case "keys_src": return !searches ? slice : atEdge ? spare : keptKeys;
    case "keys_dst":
      if (!atEdge && !oneWorkgroup) return keptKeys;
      return request.keysWanted ? keysOut(work) : spare;
    case "values_src": return searches ? keptValues : iota ? spare : slice;
    case "values_dst": return oneWorkgroup ? valuesOut(work) : keptValues;
    case "segment_begins":
    case "segment_ends": return slice;  // a top-k has none
  }
}

// Narrow keys are given out by pack, and everything is where one workgroup sorts.
function addCut(work: Work): void {
  const { plan, sort, request, narrow, oneWorkgroup, spare, kept, keptKeys, keptValues } = work;
  const cutsKeys = !narrow && request.keysWanted;
  const hasValues = plan.valueWords !== 0;
  if (oneWorkgroup || (!cutsKeys && !hasValues)) return;
  plan.steps.push({ ...sortStep(work, sort.steps[0]!), flags: cutsKeys ? 0 : flag.argsort });
  const set: BindingSet = [...spare];
  set[binding.control] = sort.bindings[main]![binding.control]!;
  set[binding.keysAlt] = keptKeys;
  if (cutsKeys) set[binding.keysDst] = keysOut(work);
  if (hasValues) set[binding.valuesAlt] = keptValues;
  if (hasValues) set[binding.valuesDst] = valuesOut(work);
  plan.bindings.push(set);
  const workgroups = Math.min(ceilDiv(kept, tileOf(plan.shape)), mostGroups);
  add(work, { kernel: "cut", step: plan.steps.length - 1, bindings: plan.bindings.length - 1, workgroups, byArgs: false });
}
