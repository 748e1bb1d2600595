// A sorter: everything made once, so that `encode` only records. Executes the plan; decides nothing about sizes.

import { binding, control, limit, requestFields, stepFields, uniform } from "./contract.js";
import { bound, checkAlignment, checkApart, checkUsage, rangeOf, usage, type BufferRange, type Range } from "./buffers.js";
import { LanesortError, refuse } from "./errors.js";
import { capabilitiesOf, limitsOf, planFor, requestOf, type SortOptions } from "./options.js";
import { layoutsOf, pipelineOf } from "./pipelines.js";
import { type BufferRole, type Limits, type Plan, type Request, type Slice } from "./plan.js";
import { RequestRing } from "./requests.js";
import { tileOf } from "./shapes.js";
import { Timer, type Timing } from "./timings.js";

export interface SorterOptions extends SortOptions {
  /** own: made at creation; external: each encoding is given `scratchBytes` bytes. Default: own. */
  scratch?: "own" | "external";
  /** The most encodings in flight, recorded or submitted and not done, whose counts differ. Default: 4. */
  slots?: number;
  /** Take timestamps where the device has timestamp-query: each kernel then is a compute pass of its own. Default: false. */
  timings?: boolean;
  /** Prefix of the labels of GPU objects. */
  label?: string;
  /** @internal Tests reach the many-tile code with few items. */
  limits?: Partial<Limits>;
}

export interface SortBuffers {
  /** The keys; in place, the sorted ones too. STORAGE, as everything here but args. */
  keys: GPUBuffer | BufferRange;
  /** The sorted keys, where the sort is not in place; a topK's, of which there is room for k. */
  keysOut?: GPUBuffer | BufferRange;
  /** The values; in place, the moved ones too. An argsort's and topK's alone with initialValues. */
  values?: GPUBuffer | BufferRange;
  /** The moved values, where the sort is not in place; an argsort's or topK's indices, of the latter k. */
  valuesOut?: GPUBuffer | BufferRange;
  /** How many items. Default: maxCount. */
  count?: number;
  /** Or a u32 in a buffer, at a multiple of 4 bytes, read when the GPU gets there and clamped to maxCount. The 256
   * bytes that it lies in are bound, and must not overlap the other buffers. */
  countBuffer?: GPUBuffer | { buffer: GPUBuffer; offset?: number };
  /** With maxSegments: u32 offsets in items, read when the GPU gets there. As many begins as maxSegments, and one more
   * without segmentEnds: the last one's end. Past the items they are taken as their end. Where begins fall or segments
   * overlap nothing is sorted. */
  segmentBegins?: GPUBuffer | BufferRange;
  /** With segmentEnds: maxSegments of them. */
  segmentEnds?: GPUBuffer | BufferRange;
  /** How many of the segments are sorted. Default: maxSegments; empty ones are nothing. */
  segmentCount?: number;
  /** Where options.scratch is "external". Any content. */
  scratch?: GPUBuffer | BufferRange;
  /** Three u32 from lanesort_write_args, in an INDIRECT buffer: no more workgroups than the count needs. Not of segments. */
  args?: GPUBuffer | { buffer: GPUBuffer; offset?: number };
}

const fields = ["keys", "keysOut", "values", "valuesOut", "segmentBegins", "segmentEnds"] as const;
type Field = (typeof fields)[number];
interface Need {
  field: Field;
  role: BufferRole;
  itemBits: number;
  most: number;  // items
  bound?: boolean;  // as many whatever the count
}

// Which buffers the request takes, and as what.
function needsOf(request: Request): Need[] {
  const { operation, keyBits, valueBytes, initialValues, keysInPlace, valuesInPlace, keysWanted } = request;
  const out = operation === "top_k" ? request.k : Infinity;
  const needs: Need[] = [];
  const key = (field: Field, role: BufferRole, most = Infinity): void => void needs.push({ field, role, itemBits: keyBits, most });
  const value = (field: Field, role: BufferRole, most = Infinity): void => void needs.push({ field, role, itemBits: 8 * valueBytes, most });
  key("keys", keysInPlace ? "keys_dst" : "keys_src");
  if (operation !== "argsort" && !keysInPlace && keysWanted) key("keysOut", "keys_dst", out);
  if (operation === "sort_pairs" || initialValues) value("values", valuesInPlace ? "values_dst" : "values_src");
  if (valueBytes !== 0 && !valuesInPlace) value("valuesOut", "values_dst", out);
  if (request.segmented) needs.push({ field: "segmentBegins", role: "segment_begins", itemBits: 32, most: request.segmentCount + (request.segmentEnds ? 0 : 1), bound: true });
  if (request.segmentEnds) needs.push({ field: "segmentEnds", role: "segment_ends", itemBits: 32, most: request.segmentCount, bound: true });
  return needs;
}

const bytesOf = (count: number, itemBits: number): number => Math.ceil((Math.max(count, 1) * itemBits) / 32) * 4;
const cachedSets = 64;  // of bind groups; the one that was not used for longest goes

interface Made {
  device: GPUDevice;
  request: Request;
  plan: Plan;
  why: string;
  pipelines: Map<string, GPUComputePipeline>;
  ring: RequestRing;
  steps: GPUBuffer;
  scratch: GPUBuffer | undefined;
  timer: Timer | undefined;
  label: string;
}

export class Sorter {
  /** Bytes of scratch that one encoding takes. Encodings in flight at once on one queue may share them. */
  readonly scratchBytes: number;
  /** Where in scratch stands, when the work is done, how many of the items given out are not of the last key there is
   * (all ones, or NaN), a u32: give culled items that key and this is where they begin. Not of segments. */
  readonly sortedCountOffset: number;
  /** The same of how many items were given out: of a topK the smaller of k and the count. */
  readonly keptCountOffset: number;
  /** The sorter's own scratch, STORAGE and COPY_SRC; none where it is external or nothing is ever sorted. */
  readonly scratch: GPUBuffer | undefined;
  /** WGSL: fn lanesort_write_args(count: u32) -> vec3<u32>, the dispatch arguments of this sorter for a count. Empty for segments. */
  readonly writeArgsWgsl: string;

  private readonly needs: Need[];
  private readonly uniforms: GPUBindGroup;
  private readonly sets = new Map<string, GPUBindGroup[]>();
  private readonly identities = new WeakMap<GPUBuffer, number>();
  private identityCount = 0;
  private unusable: string | undefined;

  private constructor(private readonly made: Made) {
    const { device, plan, request, ring, steps, label } = made;
    this.scratchBytes = plan.scratchBytes;
    this.sortedCountOffset = plan.sortedCountOffset;
    this.keptCountOffset = plan.sortedCountOffset + 4 * (control.kept - control.sortedCount);
    this.scratch = made.scratch;
    this.writeArgsWgsl = request.segmented ? "" : writeArgsOf(plan, request.count);
    this.needs = needsOf(request);
    this.uniforms = device.createBindGroup({
      label: `${label} uniforms`,
      layout: layoutsOf(device).uniforms,
      entries: [
        { binding: uniform.step, resource: { buffer: steps, size: 4 * stepFields.length } },
        { binding: uniform.request, resource: { buffer: ring.buffer, size: 4 * requestFields.length } },
      ],
    });
    void device.lost.then((info) => {
      this.unusable ??= `its device was lost: ${info.message}`;
    });
  }

  /** Makes pipelines, parameters and scratch. Throws a LanesortError where options or limits do not allow it. */
  static async create(device: GPUDevice, options: SorterOptions): Promise<Sorter> {
    const request = requestOf(options);
    const { slots = 4, timings = false, label = "lanesort", limits } = options;
    if (!Number.isInteger(slots) || slots < 1 || slots > 4096) refuse({ cause: "options.slots", value: slots, limit: 4096, remedy: "give a whole number from 1" });
    const known = capabilitiesOf(device, options.subgroups ?? true);
    const plan = planFor(device, request, known, { ...limitsOf(options), ...limits });
    const kernels = [...new Set(plan.dispatches.map((dispatch) => dispatch.kernel))];
    const [pipelines, lost] = await Promise.all([
      Promise.all(kernels.map(async (kernel) => [kernel, await pipelineOf(device, kernel, plan)] as const)),
      Promise.race([device.lost, Promise.resolve(undefined)]),
    ]);
    if (lost !== undefined) refuse({ cause: `the device was lost: ${lost.message}`, remedy: "request a new device" });
    const timed = timings && device.features.has("timestamp-query") && plan.dispatches.length > 0;
    return withMemory(device, plan, () => new Sorter({
      device, request, plan, why: known.whySubgroups, label,
      pipelines: new Map(pipelines),
      ring: new RequestRing(device, slots, usage.uniform | usage.copyDst),
      steps: makeSteps(device, plan, label),
      scratch: options.scratch === "external" || plan.scratchBytes === 0 ? undefined
        : device.createBuffer({ label: `${label} scratch`, size: plan.scratchBytes, usage: usage.storage | usage.copySrc }),
      timer: timed ? new Timer(device, plan) : undefined,
    }));
  }

  /** Records the sort and nothing else: maps, submits and creates no buffer. Into an encoder: as one compute pass, or
   * with timings as one a kernel. Into a pass of the caller's: its pipeline and bind groups 0 and 1 are then ours. */
  encode(target: GPUCommandEncoder | GPUComputePassEncoder, buffers: SortBuffers): void {
    if (this.unusable !== undefined) refuse({ cause: `this sorter cannot be used, ${this.unusable}`, remedy: "make a new one" });
    const { plan } = this.made;
    if (plan.dispatches.length === 0) return;
    const { count, onDevice } = this.countOf(buffers);
    const segments = this.segmentsOf(buffers);
    const ranges = this.rangesOf(buffers, onDevice ? this.made.request.count : count);
    const args = argsOf(buffers);
    const countWord = onDevice ? this.addCount(ranges, buffers) : 0;
    checkApart([...ranges.values()]);
    const groups = this.groupsOf(ranges);
    const slot = this.made.ring.place({ bound: count, count_word: countWord, count_on_device: onDevice ? 1 : 0, segment_count: segments });
    if ("dispatchWorkgroups" in target) return this.record(target, groups, slot, args);
    if (this.made.timer === undefined) {
      const pass = target.beginComputePass({ label: this.made.label });
      this.record(pass, groups, slot, args);
      return pass.end();
    }
    plan.dispatches.forEach((_, i) => {
      const pass = target.beginComputePass({ label: this.made.label, timestampWrites: this.made.timer!.writesOf(i) });
      this.record(pass, groups, slot, args, i, i + 1);
      pass.end();
    });
    this.made.timer.resolve(target);
  }

  /** Times of the kernels of the last encoding into an encoder, when it was submitted; empty without `timings: true`
   * or where the device has no timestamp-query. This one submits a copy and maps it. */
  async timings(): Promise<Timing[]> {
    return this.made.timer === undefined ? [] : this.made.timer.read();
  }

  /** What runs, and why so. */
  explain(): string {
    const { plan, request, why, timer } = this.made;
    const { shape } = plan;
    const lines = [
      `${request.operation}${request.operation === "top_k" ? ` (the first ${request.k})` : ""} of at most ${request.count} keys of ${request.keyBits} bits (${request.kind}), bits ${request.bitBegin} to ${request.bitEnd}, values of ${request.valueBytes} bytes`,
      shape.rows === 0 && !why.startsWith("no ") ? `no subgroups: their counters do not fit into the workgroup memory (${why})` : why,
      `${request.segmented ? "segments that fit a tile at once, longer ones by reduce then scan" : plan.form === "single_pass" ? "a single pass a digit" : "reduce then scan"}, tiles of ${tileOf(shape)} items (${shape.workgroup} invocations, ${shape.items} items each), digits of ${shape.radixBits} bits`,
      `scratch ${plan.scratchBytes} bytes; ${timer === undefined ? "no timestamps" : "timestamps at each kernel"}`,
      ...plan.dispatches.map(({ kernel, step, workgroups, byArgs }) =>
        `  ${kernel}, pass ${plan.steps[step]!.pass_index}: ${workgroups} workgroups${byArgs ? ", or by args" : ""}`),
    ];
    return lines.join("\n");
  }

  /** Frees the sorter's own buffers. What was submitted before still runs. */
  destroy(): void {
    this.unusable ??= "it was destroyed";
    const { ring, steps, scratch, timer } = this.made;
    for (const buffer of [ring.buffer, steps, scratch]) buffer?.destroy();
    timer?.destroy();
    this.sets.clear();
  }

  private countOf({ count, countBuffer }: SortBuffers): { count: number; onDevice: boolean } {
    const most = this.made.request.count;
    if (countBuffer !== undefined) {
      if (count !== undefined) refuse({ cause: "count", value: count, remedy: "give count or countBuffer, not both" });
      return { count: most, onDevice: true };
    }
    const told = count ?? most;
    if (!Number.isInteger(told) || told < 0 || told > most) refuse({ cause: "count", value: told, limit: most, remedy: "give a whole number up to maxCount" });
    return { count: told, onDevice: false };
  }

  private segmentsOf({ segmentCount }: SortBuffers): number {
    const most = this.made.request.segmentCount;
    const told = segmentCount ?? most;
    if (!Number.isInteger(told) || told < 0 || told > most) refuse({ cause: "segmentCount", value: told, limit: most, remedy: "give a whole number up to maxSegments" });
    return told;
  }

  private rangesOf(buffers: SortBuffers, count: number): Map<BufferRole, Range> {
    const { device, request, plan } = this.made;
    const ranges = new Map<BufferRole, Range>();
    const add = (name: string, given: GPUBuffer | BufferRange, role: BufferRole, least: number, most: number): void => {
      const range = rangeOf(name, given);
      checkUsage(range, usage.storage);
      checkAlignment(range, device.limits.minStorageBufferOffsetAlignment);
      ranges.set(role, bound(range, least, most));
    };
    for (const field of fields) {
      const need = this.needs.find((one) => one.field === field);
      const given = buffers[field];
      if (need === undefined && given === undefined) continue;
      if (need === undefined) refuse({ cause: `${field}: not a buffer of this sorter`, remedy: `give ${this.needs.map((one) => one.field).join(", ")} alone, as its options say` });
      if (given === undefined) refuse({ cause: `${field} is missing`, remedy: "give a buffer" });
      const bytes = (items: number): number => bytesOf(need.bound === true ? need.most : Math.min(items, need.most), need.itemBits);
      add(field, given, need.role, bytes(count), bytes(request.count));
    }
    if (this.scratch !== undefined && buffers.scratch !== undefined) refuse({ cause: "scratch: the sorter has its own", remedy: 'create it with scratch: "external", or leave scratch out' });
    const scratch = this.scratch ?? buffers.scratch;
    if (scratch === undefined) refuse({ cause: "scratch is missing", remedy: `give a buffer of ${plan.scratchBytes} bytes` });
    add("scratch", scratch, "scratch", plan.scratchBytes, plan.scratchBytes);
    return ranges;
  }

  // Binds the count's 256 bytes and says which word of them it is.
  private addCount(ranges: Map<BufferRole, Range>, { countBuffer }: SortBuffers): number {
    const range = rangeOf("countBuffer", countBuffer!);
    checkUsage(range, usage.storage);
    checkAlignment(range, 4);
    bound(range, 4, 4);
    const offset = range.offset - (range.offset % limit.sliceAlignBytes);
    const rest = Math.floor((range.buffer.size - offset) / 4) * 4;
    ranges.set("count", { ...range, offset, size: Math.min(limit.sliceAlignBytes, rest) });
    return (range.offset - offset) / 4;
  }

  private groupsOf(ranges: Map<BufferRole, Range>): GPUBindGroup[] {
    const key = [...ranges].map(([role, range]) => `${role} ${this.identityOf(range.buffer)} ${range.offset} ${range.size}`).join();
    const groups = this.sets.get(key) ?? this.made.plan.bindings.map((set) => this.groupOf(set, ranges));
    this.sets.delete(key);
    this.sets.set(key, groups);
    if (this.sets.size > cachedSets) this.sets.delete(this.sets.keys().next().value!);
    return groups;
  }

  private groupOf(set: readonly Slice[], ranges: Map<BufferRole, Range>): GPUBindGroup {
    const { device, plan, label } = this.made;
    return device.createBindGroup({
      label: `${label} buffers`,
      layout: layoutsOf(device).buffers,
      entries: set.map((slice, number) => {
        // Without a count on the device nobody looks at it: what the other set has there stands in.
        const inPlaceOf = slice.role === "count" && !ranges.has("count") ? plan.bindings[1]![binding.counts]! : slice;
        const range = ranges.get(inPlaceOf.role)!;
        const own = inPlaceOf.role === "scratch";
        return {
          binding: number,
          resource: { buffer: range.buffer, offset: range.offset + (own ? inPlaceOf.offset : 0), size: own ? inPlaceOf.bytes : range.size },
        };
      }),
    });
  }

  private identityOf(buffer: GPUBuffer): number {
    let identity = this.identities.get(buffer);
    if (identity === undefined) {
      identity = this.identityCount++;
      this.identities.set(buffer, identity);
    }
    return identity;
  }

  private record(pass: GPUComputePassEncoder, groups: GPUBindGroup[], slot: number, args: Range | undefined, begin = 0, end = Infinity): void {
    for (const { kernel, step, bindings, workgroups, byArgs } of this.made.plan.dispatches.slice(begin, end)) {
      pass.setPipeline(this.made.pipelines.get(kernel)!);
      pass.setBindGroup(0, groups[bindings]!);
      pass.setBindGroup(1, this.uniforms, [step * limit.stepStrideBytes, slot]);
      if (byArgs && args !== undefined) pass.dispatchWorkgroupsIndirect(args.buffer, args.offset);
      else pass.dispatchWorkgroups(workgroups);
    }
  }
}

function argsOf({ args }: SortBuffers): Range | undefined {
  if (args === undefined) return undefined;
  const range = rangeOf("args", args);
  checkUsage(range, usage.indirect);
  checkAlignment(range, 4);
  return bound(range, 12, 12);
}

function writeArgsOf(plan: Plan, most: number): string {
  const tile = tileOf(plan.shape);
  const groups = Math.max(1, plan.steps[0]?.max_groups ?? 1);
  return [
    "// Dispatch arguments for a sort of `count` items; at least one workgroup, because the survey is a workgroup's too.",
    "fn lanesort_write_args(count: u32) -> vec3<u32> {",
    `  return vec3<u32>(clamp((min(count, ${most}u) + ${tile - 1}u) / ${tile}u, 1u, ${groups}u), 1u, 1u);`,
    "}",
    "",
  ].join("\n");
}

function makeSteps(device: GPUDevice, plan: Plan, label: string): GPUBuffer {
  const stride = limit.stepStrideBytes / 4;
  const words = new Uint32Array(Math.max(plan.steps.length, 1) * stride);
  plan.steps.forEach((step, i) => words.set(stepFields.map((field) => step[field]), i * stride));
  const buffer = device.createBuffer({ label: `${label} steps`, size: words.byteLength, usage: usage.uniform | usage.copyDst });
  device.queue.writeBuffer(buffer, 0, words);
  return buffer;
}

// A device that has no memory left says so by an error scope alone.
async function withMemory(device: GPUDevice, plan: Plan, make: () => Sorter): Promise<Sorter> {
  device.pushErrorScope("out-of-memory");
  device.pushErrorScope("validation");
  const sorter = make();
  const errors = await Promise.all([device.popErrorScope(), device.popErrorScope()]);
  const error = errors.find((one) => one !== null);
  if (error === undefined) return sorter;
  sorter.destroy();
  throw new LanesortError({ cause: `the device refused buffers of ${plan.scratchBytes} bytes: ${error!.message}`, remedy: "free memory, or lower maxCount" });
}
