// What a caller asks for -> the plan's request and the device's capabilities, checked.

import { refuse } from "./errors.js";
import type { KeyKind, NanPlace } from "./order.js";
import { leastCapabilities, noLimits, planSort, type Capabilities, type Form, type Limits, type Plan, type Request } from "./plan.js";

export type Dtype = "bool" | "u8" | "i8" | "u16" | "i16" | "u32" | "i32" | "u64" | "i64" | "f16" | "bf16" | "f32" | "f64";
export type Operation = "sort" | "sortPairs" | "argsort" | "topK";

/** numeric: -0 equals +0, NaN after all numbers in both directions; nanFirst: before them; bits: IEEE totalOrder. */
export type FloatOrder = "numeric" | "nanFirst" | "bits";

export interface SortOptions {
  /** sort: keys; sortPairs: keys, and a value that travels with each; argsort: the indices that would sort them;
   * topK: the first k of the keys, sorted, and of their indices. Default: sort. */
  operation?: Operation;
  /** The keys' type. 64-bit keys are low word first, narrower ones packed as in a typed array. */
  dtype: Dtype;
  /** The most items that one encoding may sort; a count on the GPU is clamped to it. */
  maxCount: number;
  /** Default: false. Equal keys keep their order in both directions. */
  descending?: boolean;
  /** Floats alone. Default: numeric. */
  floatOrder?: FloatOrder;
  /** Only the bits [bitBegin, bitEnd) of the mapped key are looked at. Default: all. */
  bitBegin?: number;
  bitEnd?: number;
  /** topK: how many, in the order asked for: the smallest, or the largest with `descending`. More than there are is all. */
  k?: number;
  /** topK: false: only the indices (or values) are given out. Default: true. */
  keysWanted?: boolean;
  /** sortPairs: 4, 8 or 16, default 4; argsort: 4 or 8, default 4; topK: 0 for none, 4 or 8, default 4; of the caller's 16 too. */
  valueBytes?: number;
  /** argsort, topK: the caller's values in place of the indices 0, 1, 2... Default: false. */
  initialValues?: boolean;
  /** keys and values stand in one buffer each before and after. Default: true; an argsort never touches its keys, a topK
   * nothing but its results. */
  inPlace?: boolean;
  /** Sorts segments, each by itself, at most so many; SortBuffers says where they are. Items in none stay as they are.
   * Default: none, all items are sorted together. */
  maxSegments?: number;
  /** Segments end where a buffer of its own says, so that there may be gaps. Default: false, each ends where the next begins. */
  segmentEnds?: boolean;
  /** argsort: indices count from their segment's begin. Default: false, from the first item. */
  localIndices?: boolean;
  /** false: rank without subgroups even where the device has them. Default: true. */
  subgroups?: boolean;
  /** How sorts go whose items do not fit one workgroup. reduceThenScan: three kernels a digit, and no workgroup waits for
   * another. singlePass: one, in which they do, and count for each other when that takes long; where memory does not
   * suffice for it, it is reduceThenScan. tuned: what was measured to be faster on such devices. Default: tuned. */
  form?: "tuned" | "reduceThenScan" | "singlePass";
}

export interface KeyFormat {
  bits: number;
  kind: KeyKind;
  mantissaBits: number;
}

const format = (bits: number, kind: KeyKind, mantissaBits = 0): KeyFormat => ({ bits, kind, mantissaBits });
export const dtypes: Record<Dtype, KeyFormat> = {
  bool: format(8, "boolean"),
  u8: format(8, "unsigned_integer"), i8: format(8, "signed_integer"),
  u16: format(16, "unsigned_integer"), i16: format(16, "signed_integer"),
  u32: format(32, "unsigned_integer"), i32: format(32, "signed_integer"),
  u64: format(64, "unsigned_integer"), i64: format(64, "signed_integer"),
  f16: format(16, "floating", 10), bf16: format(16, "floating", 7),
  f32: format(32, "floating", 23), f64: format(64, "floating", 52),
};
const operations: Record<Operation, Request["operation"]> = { sort: "sort", sortPairs: "sort_pairs", argsort: "argsort", topK: "top_k" };
const forms: Record<NonNullable<SortOptions["form"]>, Form> = { tuned: "tuned", reduceThenScan: "reduce_then_scan", singlePass: "single_pass" };
const nanPlaces: Record<FloatOrder, NanPlace> = { numeric: "last", nanFirst: "first", bits: "by_bits" };

function oneOf<T>(table: Record<string, T>, name: unknown, option: string): T {
  if (typeof name === "string" && Object.hasOwn(table, name)) return table[name]!;
  return refuse({ cause: `options.${option}`, value: name, remedy: `give one of ${Object.keys(table).join(", ")}` });
}

function whole(value: unknown, least: number, most: number, option: string): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most) return value;
  return refuse({ cause: `options.${option}`, value, limit: most, remedy: `give a whole number from ${least} to ${most}` });
}

function valueBytesOf(operation: Operation, { valueBytes, initialValues }: SortOptions): number {
  const allowed = { sort: [0], sortPairs: [4, 8, 16], argsort: [4, 8], topK: initialValues === true ? [4, 8, 16] : [0, 4, 8] }[operation];
  const bytes = valueBytes ?? (operation === "sort" ? 0 : 4);
  if (allowed.includes(bytes)) return bytes;
  return refuse({ cause: `options.valueBytes of ${operation}`, value: bytes, remedy: `give ${allowed.join(" or ")}` });
}

export function requestOf(options: SortOptions): Request {
  if (typeof options !== "object" || options === null) refuse({ cause: "options", value: options, remedy: "give an object with dtype and maxCount" });
  const operation = options.operation ?? "sort";
  const planOperation = oneOf(operations, operation, "operation");
  const key = oneOf(dtypes, options.dtype, "dtype");
  const bitBegin = whole(options.bitBegin ?? 0, 0, key.bits, "bitBegin");
  const topK = operation === "topK";
  const inPlace = (options.inPlace ?? true) && !topK;
  if (options.initialValues === true && operation !== "argsort" && !topK) {
    refuse({ cause: "options.initialValues", value: true, remedy: "leave it out: only argsort and topK would make values of their own" });
  }
  const segmented = options.maxSegments !== undefined;
  if (segmented && topK) refuse({ cause: "options.maxSegments of topK", value: options.maxSegments, remedy: "leave it out: a topK is of all items" });
  for (const option of ["segmentEnds", "localIndices"] as const) {
    if (options[option] === true && !segmented) refuse({ cause: `options.${option}`, value: true, remedy: "give maxSegments too: it sorts segments" });
  }
  const valueBytes = valueBytesOf(operation, options);
  const keysWanted = options.keysWanted ?? true;
  if (!keysWanted && (!topK || valueBytes === 0)) {
    refuse({ cause: `options.keysWanted of ${operation}`, value: false, remedy: "leave it out: only a topK with valueBytes gives out values alone" });
  }
  if (options.k !== undefined && !topK) refuse({ cause: `options.k of ${operation}`, value: options.k, remedy: 'leave it out, or set operation: "topK"' });
  return {
    operation: planOperation,
    kind: key.kind, keyBits: key.bits, mantissaBits: key.mantissaBits,
    descending: options.descending ?? false,
    nan: oneOf(nanPlaces, options.floatOrder ?? "numeric", "floatOrder"),
    bitBegin, bitEnd: whole(options.bitEnd ?? key.bits, bitBegin, key.bits, "bitEnd"),
    valueBytes,
    initialValues: options.initialValues ?? false,
    keysInPlace: inPlace && operation !== "argsort",
    valuesInPlace: inPlace && (operation === "sortPairs" || options.initialValues === true),
    count: whole(options.maxCount, 0, 0xffffffff, "maxCount"),
    segmented,
    segmentCount: segmented ? whole(options.maxSegments, 0, 0xffffffff, "maxSegments") : 0,
    segmentEnds: options.segmentEnds ?? false,
    localIndices: options.localIndices ?? false,
    k: topK ? whole(options.k, 0, Number.MAX_SAFE_INTEGER, "k") : 0,
    keysWanted,
  };
}

export const limitsOf = (options: SortOptions): Limits => ({ ...noLimits, form: oneOf(forms, options.form ?? "tuned", "form") });

// The parts of GPUAdapter and GPUDevice that a plan depends on.
export interface DeviceFacts {
  features: { has(name: string): boolean };
  limits: GPUSupportedLimits;
  info?: GPUAdapterInfo;         // of an adapter
  adapterInfo?: GPUAdapterInfo;  // of a device
}

export interface Known {
  capabilities: Capabilities;
  whySubgroups: string;  // or why not
}

export function capabilitiesOf(facts: DeviceFacts, wanted: boolean): Known {
  const { limits } = facts;
  const info = facts.adapterInfo ?? facts.info;
  const least = info?.subgroupMinSize ?? 0;
  const most = info?.subgroupMaxSize ?? 0;
  const has = facts.features.has("subgroups");
  const sizesKnown = least >= 4 && most >= least && most <= 128;
  const whySubgroups = !wanted ? "no subgroups: the caller asked for none"
    : !has ? "no subgroups: the feature is not enabled on this device"
    : !sizesKnown ? `no subgroups: the device reports sizes ${least} to ${most}, which cannot be relied on`
    : `subgroups of ${least} to ${most} invocations`;
  return {
    whySubgroups,
    capabilities: {
      subgroups: wanted && has && sizesKnown, subgroupMin: least, subgroupMax: most,
      workgroupBytes: limits.maxComputeWorkgroupStorageSize,
      workgroupInvocations: Math.min(limits.maxComputeInvocationsPerWorkgroup, limits.maxComputeWorkgroupSizeX),
      workgroups: limits.maxComputeWorkgroupsPerDimension,
      bindingBytes: limits.maxStorageBufferBindingSize,
      bufferBytes: limits.maxBufferSize,
    },
  };
}

function refuseStorageBuffers(facts: DeviceFacts): void {
  const most = facts.limits.maxStorageBuffersPerShaderStage;
  if (most < 8) refuse({ cause: "storage buffers of a shader stage", value: 8, limit: most, remedy: "request a device with maxStorageBuffersPerShaderStage of 8" });
}

// The plan, or an error that says which limit stands in its way.
export function planFor(facts: DeviceFacts, request: Request, known: Known, limits: Limits = noLimits): Plan {
  refuseStorageBuffers(facts);
  const plan = planSort(request, known.capabilities, limits);
  if (plan.refusal === "no_shape") {
    refuse({
      cause: "workgroup memory or size of this device holds no kernel: its memory", value: plan.asked,
      limit: leastCapabilities.workgroupBytes, remedy: "request a device with at least WebGPU's default limits",
    });
  }
  if (plan.refusal === "binding_too_large") {
    refuse({
      cause: `bytes of one buffer binding that ${request.count} items need`, value: plan.asked, limit: plan.limit,
      remedy: "lower maxCount, or request a device with a higher maxStorageBufferBindingSize (query() says which)",
    });
  }
  if (plan.refusal === "scratch_too_large") {
    refuse({
      cause: `bytes of scratch that ${request.count} items need`, value: plan.asked, limit: plan.limit,
      remedy: "lower maxCount, or request a device with a higher maxBufferSize (query() says which)",
    });
  }
  return plan;
}
