// Timestamps at both ends of every kernel of the last encoding.

import type { Dispatch, Plan } from "./plan.js";
import { usage } from "./buffers.js";

export interface Timing {
  kernel: string;
  /** Which of the plan's passes; 0 for kernels that run once. */
  pass: number;
  nanoseconds: number;
}

export class Timer {
  private readonly queries: GPUQuerySet;
  private readonly resolved: GPUBuffer;
  private readonly mapped: GPUBuffer;
  private readonly stampCount: number;

  constructor(private readonly device: GPUDevice, private readonly plan: Plan) {
    this.stampCount = Math.max(2 * plan.dispatches.length, 2);
    const size = this.stampCount * 8;
    this.queries = device.createQuerySet({ label: "lanesort timestamps", type: "timestamp", count: this.stampCount });
    this.resolved = device.createBuffer({ label: "lanesort timestamps", size, usage: usage.queryResolve | usage.copySrc });
    this.mapped = device.createBuffer({ label: "lanesort timings", size, usage: usage.mapRead | usage.copyDst });
  }

  writesOf(dispatchIndex: number): GPUComputePassTimestampWrites {
    return { querySet: this.queries, beginningOfPassWriteIndex: 2 * dispatchIndex, endOfPassWriteIndex: 2 * dispatchIndex + 1 };
  }

  resolve(encoder: GPUCommandEncoder): void {
    encoder.resolveQuerySet(this.queries, 0, this.stampCount, this.resolved, 0);
  }

  async read(): Promise<Timing[]> {
    const encoder = this.device.createCommandEncoder();
    encoder.copyBufferToBuffer(this.resolved, 0, this.mapped, 0, this.mapped.size);
    this.device.queue.submit([encoder.finish()]);
    await this.mapped.mapAsync(usage.mapRead);
    const stamps = new BigUint64Array(this.mapped.getMappedRange().slice(0));
    this.mapped.unmap();
    return this.plan.dispatches.map((dispatch: Dispatch, i) => ({
      kernel: dispatch.kernel,
      pass: this.plan.steps[dispatch.step]!.pass_index,
      nanoseconds: Number(stamps[2 * i + 1]! - stamps[2 * i]!),
    }));
  }

  destroy(): void {
    this.queries.destroy();
    this.resolved.destroy();
    this.mapped.destroy();
  }
}
