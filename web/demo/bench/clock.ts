// How long a rig's sort takes. The device's timestamps, from the start of the first kernel to the end of the last, where
// it has them; else the host's clock from submit to done, what a page would wait for.
// Browsers round both (timestamps to a tenth of a millisecond), so short sorts run back to back, many to a sample.
import { enough, spreadOf, type Spread } from "../cpu/statistics.ts";
import type { Rig } from "../rig.ts";

const [secondsOfSample, mostInSample] = [0.02, 400];

export class Clock {
  readonly name: "device" | "host";
  private readonly queries: GPUQuerySet | undefined;
  private readonly resolved: GPUBuffer | undefined;
  private readonly mapped: GPUBuffer | undefined;

  constructor(private readonly device: GPUDevice) {
    const stamped = device.features.has("timestamp-query");
    this.name = stamped ? "device" : "host";
    if (!stamped) return;
    this.queries = device.createQuerySet({ type: "timestamp", count: 2 });
    this.resolved = device.createBuffer({ size: 16, usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC });
    this.mapped = device.createBuffer({ size: 16, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  }

  /** Samples until there are enough, for about so many seconds. */
  async time(rig: Rig, seconds: number, signal: AbortSignal): Promise<Spread> {
    await this.sample(rig, 1);  // warm
    const first = await this.sample(rig, 1);
    const batch = Math.min(mostInSample, Math.max(1, Math.ceil(secondsOfSample / Math.max(first, 1e-5))));
    const samples: number[] = [];
    const begin = performance.now();
    do {
      signal.throwIfAborted();
      samples.push(await this.sample(rig, batch));
    } while (!enough(samples, (performance.now() - begin) / 1000, seconds));
    return spreadOf(samples);
  }

  private async sample(rig: Rig, batch: number): Promise<number> {
    const encoder = this.device.createCommandEncoder();
    const { queries, resolved, mapped } = this;
    const pass = encoder.beginComputePass(queries === undefined ? {} : {
      timestampWrites: { querySet: queries, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 },
    });
    for (let i = 0; i < batch; ++i) rig.encode(pass);
    pass.end();
    if (queries !== undefined) {
      encoder.resolveQuerySet(queries, 0, 2, resolved!, 0);
      encoder.copyBufferToBuffer(resolved!, 0, mapped!, 0, 16);
    }
    const commands = encoder.finish();
    const begin = performance.now();
    this.device.queue.submit([commands]);
    if (mapped === undefined) {
      await this.device.queue.onSubmittedWorkDone();
      return (performance.now() - begin) / 1000 / batch;
    }
    await mapped.mapAsync(GPUMapMode.READ);
    const [from, to] = new BigUint64Array(mapped.getMappedRange());
    const nanoseconds = Number(to! - from!);
    mapped.unmap();
    return Math.max(0, nanoseconds) / 1e9 / batch;
  }

  destroy(): void {
    this.queries?.destroy();
    this.resolved?.destroy();
    this.mapped?.destroy();
  }
}
