// The host of the tutorials' sort, ../../bench/ladder/wgsl/chunk_sort.wgsl: what most pages that sort on the GPU start from.
// Here to be compared with; lanesort itself never uses it.
import text from "../../bench/ladder/wgsl/chunk_sort.wgsl?raw";

const chunk = 512;
const maxChunks = 512;
const digits = 4;
const digitBits = 2;
const rounds = 32 / digitBits;
const roundStride = 256;  // what a dynamic offset of a uniform buffer may need at most

type Kernel = "rank_chunk" | "scan_totals" | "move_items";

/** Sorts u32 keys and their u32 ids in place, ascending and stable. One at a time: its scratch serves one sort. */
export class ChunkSort {
  static readonly maxCount = chunk * maxChunks;

  readonly #device: GPUDevice;
  readonly #pipelines: Record<Kernel, GPUComputePipeline>;
  readonly #dataLayout: GPUBindGroupLayout;
  readonly #roundGroup: GPUBindGroup;
  readonly #roundBuffer: GPUBuffer;
  #scratch: GPUBuffer[] = [];
  #dataGroups: [GPUBindGroup, GPUBindGroup] | undefined;
  #chunks = 0;

  /** `padBanks: false` leaves the scan arrays without their empty words, to see what those are worth. */
  constructor(device: GPUDevice, { padBanks = true }: { padBanks?: boolean } = {}) {
    this.#device = device;
    const storage = (binding: number, type: GPUBufferBindingType) => ({ binding, visibility: GPUShaderStage.COMPUTE, buffer: { type } });
    this.#dataLayout = device.createBindGroupLayout({
      entries: [storage(0, "read-only-storage"), storage(1, "read-only-storage"), storage(2, "storage"), storage(3, "storage"), storage(4, "storage"), storage(5, "storage")],
    });
    const roundLayout = device.createBindGroupLayout({
      entries: [{ binding: 0, visibility: GPUShaderStage.COMPUTE, buffer: { type: "uniform", hasDynamicOffset: true, minBindingSize: 16 } }],
    });
    const layout = device.createPipelineLayout({ bindGroupLayouts: [this.#dataLayout, roundLayout] });
    const module = device.createShaderModule({ code: text });
    const pipeline = (entryPoint: Kernel) =>
      device.createComputePipeline({ layout, compute: { module, entryPoint, constants: { kBankPadding: padBanks ? 1 : 0 } } });
    this.#pipelines = { rank_chunk: pipeline("rank_chunk"), scan_totals: pipeline("scan_totals"), move_items: pipeline("move_items") };
    this.#roundBuffer = device.createBuffer({ size: rounds * roundStride, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
    this.#roundGroup = device.createBindGroup({ layout: roundLayout, entries: [{ binding: 0, resource: { buffer: this.#roundBuffer, size: 16 } }] });
  }

  /**
   * Names what `encode` is to sort: `count` items of `keys` and `ids`, buffers with usage STORAGE. Makes the scratch:
   * 12 bytes an item. Throws a RangeError past `maxCount`.
   */
  prepare(keys: GPUBuffer, ids: GPUBuffer, count: number): void {
    if (!Number.isSafeInteger(count) || count < 0 || count > ChunkSort.maxCount) {
      throw new RangeError(`the chunk sort takes 0 to ${ChunkSort.maxCount} items, not ${count}: one workgroup scans the totals of all ${maxChunks} chunks. Sort more by lanesort's Sorter`);
    }
    for (const buffer of this.#scratch) buffer.destroy();
    this.#chunks = Math.ceil(count / chunk);
    if (this.#chunks === 0) return;
    const row = 2 ** Math.ceil(Math.log2(this.#chunks));
    for (let round = 0; round < rounds; ++round) {
      this.#device.queue.writeBuffer(this.#roundBuffer, round * roundStride, Uint32Array.of(count, this.#chunks, row, round * digitBits));
    }
    const words = (size: number) => this.#device.createBuffer({ size: size * 4, usage: GPUBufferUsage.STORAGE });
    const [otherKeys, otherIds, ranks, totals] = (this.#scratch = [words(count), words(count), words(count), words(digits * row)]) as [GPUBuffer, GPUBuffer, GPUBuffer, GPUBuffer];
    const group = (...buffers: GPUBuffer[]) =>
      this.#device.createBindGroup({ layout: this.#dataLayout, entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })) });
    this.#dataGroups = [group(keys, ids, otherKeys, otherIds, ranks, totals), group(otherKeys, otherIds, keys, ids, ranks, totals)];
  }

  /** Records the sort of what `prepare` named. An even number of rounds leaves it where it was. */
  encode(encoder: GPUCommandEncoder): void {
    if (this.#chunks === 0 || this.#dataGroups === undefined) return;
    const pass = encoder.beginComputePass();
    for (let round = 0; round < rounds; ++round) {
      pass.setBindGroup(0, this.#dataGroups[(round & 1) as 0 | 1]);
      pass.setBindGroup(1, this.#roundGroup, [round * roundStride]);
      this.#dispatch(pass, "rank_chunk", this.#chunks);
      this.#dispatch(pass, "scan_totals", 1);
      this.#dispatch(pass, "move_items", this.#chunks);
    }
    pass.end();
  }

  #dispatch(pass: GPUComputePassEncoder, kernel: Kernel, workgroups: number): void {
    pass.setPipeline(this.#pipelines[kernel]);
    pass.dispatchWorkgroups(workgroups);
  }

  destroy(): void {
    for (const buffer of [...this.#scratch, this.#roundBuffer]) buffer.destroy();
    this.#scratch = [];
    this.#chunks = 0;
  }
}
