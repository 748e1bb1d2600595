// Sorts on the CPU: keys and ids are read back, ordered, and sent again while frames go on with the order before. A
// splat that came into view since is missing until then.

import { runJob, type CpuJob, type CpuResult } from "./cpu_sort.ts";
import type { DepthSorter, SeenSplats } from "./sorters.ts";

/** Where the sorting itself is done: in a worker where there are any. */
interface Bench {
  run(job: CpuJob): Promise<CpuResult>;
  close(): void;
}

function openBench(): Bench {
  if (typeof Worker === "undefined") return { run: async (job) => runJob(job), close: () => {} };
  const worker = new Worker(new URL("./cpu_worker.ts", import.meta.url), { type: "module" });
  return {
    run: (job) => new Promise((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<CpuResult>) => resolve(data);
      worker.onerror = (event) => reject(new Error(`the worker that sorts did not run: ${event.message}`));
      worker.postMessage(job, [job.keys.buffer, job.ids.buffer]);
    }),
    close: () => worker.terminate(),
  };
}

export class CpuSorter implements DepthSorter {
  readonly name = "cpu";
  readonly order: DepthSorter["order"];
  late: DepthSorter["late"];
  private readonly bench = openBench();
  private readonly reader: GPUBuffer;  // keys, ids, how many
  private state: "idle" | "recorded" | "busy" | "destroyed" = "idle";
  private frames = 0;

  constructor(private readonly device: GPUDevice, private readonly splats: SeenSplats, readonly writeArgsWgsl: string) {
    const bytes = 4 * splats.capacity;
    this.reader = device.createBuffer({ label: "keys for the CPU", size: 2 * bytes + 4, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    this.order = {
      ids: device.createBuffer({ label: "order by the CPU", size: bytes, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST }),
      drawArgs: device.createBuffer({ label: "draw of the CPU's order", size: 16, usage: GPUBufferUsage.INDIRECT | GPUBufferUsage.COPY_DST }),
    };
  }

  explain(): string {
    return "counting sort in two passes of 16 bits, in a worker; the order is that of a frame before";
  }

  encode(encoder: GPUCommandEncoder): void {
    this.frames++;
    if (this.state !== "idle") return;
    const { keys, ids, seen, capacity } = this.splats;
    encoder.copyBufferToBuffer(keys, 0, this.reader, 0, 4 * capacity);
    encoder.copyBufferToBuffer(ids, 0, this.reader, 4 * capacity, 4 * capacity);
    encoder.copyBufferToBuffer(seen, 0, this.reader, 8 * capacity, 4);
    this.state = "recorded";
  }

  submitted(): void {
    if (this.state !== "recorded") return;
    this.state = "busy";
    const begun = this.frames;
    void this.sort().then((milliseconds) => {
      if (this.state === "destroyed") return;
      this.late = { milliseconds, frames: this.frames - begun + 1 };
      this.state = "idle";
    }, () => void (this.state = this.state === "destroyed" ? "destroyed" : "idle"));  // the device or the sorter went away
  }

  private async sort(): Promise<number> {
    await this.reader.mapAsync(GPUMapMode.READ);
    const words = new Uint32Array(this.reader.getMappedRange());
    const { capacity } = this.splats;
    const seen = words[2 * capacity]!;
    const job = { keys: words.slice(0, seen), ids: words.slice(capacity, capacity + seen) };
    this.reader.unmap();
    const { ids, milliseconds } = await this.bench.run(job);
    if (this.state === "destroyed") return 0;
    this.device.queue.writeBuffer(this.order.ids, 0, ids);
    this.device.queue.writeBuffer(this.order.drawArgs, 0, Uint32Array.of(4, seen, 0, 0));
    return milliseconds;
  }

  destroy(): void {
    this.state = "destroyed";
    this.bench.close();
    for (const buffer of [this.reader, this.order.ids, this.order.drawArgs]) buffer.destroy();
  }
}
