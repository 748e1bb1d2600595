// A sorter with buffers of its own, keys kept and results apart, so that the same input can be sorted again and again.
import { LanesortError, Sorter, type Dtype, type Operation, type SortBuffers, type SortOptions } from "../src/index.ts";
import { formats, type Bytes } from "./cpu/format.ts";
import type { Result } from "./cpu/jobs.ts";

/** What sorts all items, and what the bench and the doctor know of. */
export type WholeSort = Extract<Operation, "sort" | "sortPairs" | "argsort">;

export interface RigOptions {
  operation: WholeSort;
  dtype: Dtype;
  descending?: boolean;
  form?: NonNullable<SortOptions["form"]>;
}

const padded = (bytes: number): number => Math.max(16, Math.ceil(bytes / 4) * 4);

/** What `work` makes, or what the device said against it. */
export async function withScopes<T>(device: GPUDevice, work: () => T): Promise<T> {
  device.pushErrorScope("out-of-memory");
  device.pushErrorScope("validation");
  let made: T;
  let errors: (GPUError | null)[];
  try {
    made = work();
  } finally {
    errors = await Promise.all([device.popErrorScope(), device.popErrorScope()]);
  }
  const error = errors.find((one) => one !== null);
  if (error === undefined) return made;
  const memory = errors[1] === error;
  throw new LanesortError({
    cause: `the device refused: ${error!.message === "" ? "no more is said" : error!.message}`,
    remedy: memory ? "sort fewer items, or close other pages that use the GPU" : "report the text",
  });
}

export class Rig {
  private readonly made: GPUBuffer[] = [];
  private constructor(
    private readonly device: GPUDevice, private readonly sorter: Sorter, private readonly operation: WholeSort,
      private readonly count: number,
    private readonly keyBytes: number,
  ) {}

  private buffers!: SortBuffers & { keysOut?: GPUBuffer; valuesOut?: GPUBuffer };

  static async create(device: GPUDevice, { operation, dtype, descending = false, form = "tuned" }: RigOptions,
    keys: Bytes): Promise<Rig> {
    const count = keys.length / formats[dtype].bytes;
    const sorter = await Sorter.create(device,
      { operation, dtype, descending, form, maxCount: count, inPlace: false, label: "page" });
    const rig = new Rig(device, sorter, operation, count, keys.length);
    try {
      await withScopes(device, () => rig.makeBuffers(keys));
      return rig;
    } catch (error) {
      rig.destroy();
      throw error;
    }
  }

  private makeBuffers(keys: Bytes): void {
    const { STORAGE, COPY_SRC } = GPUBufferUsage;
    const make = (bytes: number, content?: Uint8Array): GPUBuffer => {
      const buffer = this.device.createBuffer({ label: "page", size: padded(bytes), usage: STORAGE | COPY_SRC,
        mappedAtCreation: content !== undefined });
      this.made.push(buffer);
      if (content !== undefined) {
        new Uint8Array(buffer.getMappedRange()).set(content);
        buffer.unmap();
      }
      return buffer;
    };
    this.buffers = { keys: make(keys.length, keys) };
    if (this.operation !== "argsort") this.buffers.keysOut = make(keys.length);
    if (this.operation === "sortPairs") this.buffers.values = make(4 * this.count,
      new Uint8Array(Uint32Array.from({ length: this.count }, (_, i) => i).buffer));
    if (this.operation !== "sort") this.buffers.valuesOut = make(4 * this.count);
  }

  encode(target: GPUCommandEncoder | GPUComputePassEncoder): void {
    this.sorter.encode(target, this.buffers);
  }

  /** One sort. */
  async run(): Promise<void> {
    await withScopes(this.device, () => {
      const encoder = this.device.createCommandEncoder();
      this.encode(encoder);
      this.device.queue.submit([encoder.finish()]);
    });
  }

  /** The result, by a copy that is mapped. */
  async read(): Promise<Result> {
    const { keysOut, valuesOut } = this.buffers;
    const [keys, indices] = await Promise.all([this.download(keysOut, this.keyBytes),
      this.download(valuesOut, 4 * this.count)]);
    return { ...(keys === undefined ? {} : { keys: new Uint8Array(keys) }),
      ...(indices === undefined ? {} : { indices: new Uint32Array(indices) }) };
  }

  private async download(buffer: GPUBuffer | undefined, bytes: number): Promise<ArrayBuffer | undefined> {
    if (buffer === undefined) return undefined;
    const reader = await withScopes(this.device, () => {
      const made = this.device.createBuffer({ label: "page", size: buffer.size,
        usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
      const encoder = this.device.createCommandEncoder();
      encoder.copyBufferToBuffer(buffer, 0, made, 0, buffer.size);
      this.device.queue.submit([encoder.finish()]);
      return made;
    });
    try {
      await reader.mapAsync(GPUMapMode.READ);
      return reader.getMappedRange().slice(0, bytes);
    } finally {
      reader.destroy();
    }
  }

  destroy(): void {
    this.sorter.destroy();
    for (const buffer of this.made) buffer.destroy();
  }
}
