// What a frame took and how many splats it showed: read back some frames later, and never waited for. A frame that finds
// all readers in use is not measured.

import type { Stamps } from "./frame.ts";

export interface Reading {
  seen: number;
  /** Milliseconds by the GPU's clock, where it has one that can be read. */
  gpu?: { whole: number; sort: number; draw: number };
}

interface Slot {
  reader: GPUBuffer;
  state: "idle" | "recorded" | "busy";
}

const stampCount = 4;  // projection begins, ends; drawing begins, ends
const seenAt = 8 * stampCount;

export class Meter {
  readonly hasClock: boolean;
  private readonly slots: Slot[];
  private readonly clock: { queries: GPUQuerySet; resolved: GPUBuffer } | undefined;
  private destroyed = false;

  constructor(device: GPUDevice, private readonly report: (reading: Reading) => void) {
    this.hasClock = device.features.has("timestamp-query");
    this.slots = Array.from({ length: 3 }, () => ({
      reader: device.createBuffer({ label: "readings", size: seenAt + 4, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST }), state: "idle" as const,
    }));
    this.clock = !this.hasClock ? undefined : {
      queries: device.createQuerySet({ label: "frame", type: "timestamp", count: stampCount }),
      resolved: device.createBuffer({ label: "frame's stamps", size: seenAt, usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC }),
    };
  }

  get stamps(): Stamps | undefined {
    if (this.clock === undefined) return undefined;
    const querySet = this.clock.queries;
    return {
      project: { querySet, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 },
      draw: { querySet, beginningOfPassWriteIndex: 2, endOfPassWriteIndex: 3 },
    };
  }

  /** After the frame's own work. */
  encode(encoder: GPUCommandEncoder, seen: GPUBuffer): void {
    const slot = this.slots.find(({ state }) => state === "idle");
    if (slot === undefined) return;
    if (this.clock !== undefined) {
      encoder.resolveQuerySet(this.clock.queries, 0, stampCount, this.clock.resolved, 0);
      encoder.copyBufferToBuffer(this.clock.resolved, 0, slot.reader, 0, seenAt);
    }
    encoder.copyBufferToBuffer(seen, 0, slot.reader, seenAt, 4);
    slot.state = "recorded";
  }

  submitted(): void {
    for (const slot of this.slots) {
      if (slot.state !== "recorded") continue;
      slot.state = "busy";
      slot.reader.mapAsync(GPUMapMode.READ).then(() => {
        if (this.destroyed) return;
        this.report(this.read(slot.reader.getMappedRange()));
        slot.reader.unmap();
        slot.state = "idle";
      }, () => {});  // the device or the meter went away
    }
  }

  private read(bytes: ArrayBuffer): Reading {
    const seen = new Uint32Array(bytes, seenAt, 1)[0]!;
    if (this.clock === undefined) return { seen };
    const [begin, projected, drawing, end] = new BigUint64Array(bytes, 0, stampCount) as unknown as [bigint, bigint, bigint, bigint];
    const milliseconds = (from: bigint, to: bigint): number => Math.max(0, Number(to - from) / 1e6);  // clocks may be set back
    return { seen, gpu: { whole: milliseconds(begin, end), sort: milliseconds(projected, drawing), draw: milliseconds(drawing, end) } };
  }

  destroy(): void {
    this.destroyed = true;
    for (const { reader } of this.slots) reader.destroy();
    this.clock?.queries.destroy();
    this.clock?.resolved.destroy();
  }
}

/** A mean in which what is older than some readings fades. */
export class Mean {
  value: number | undefined;

  add(reading: number): void {
    this.value = this.value === undefined ? reading : this.value + (reading - this.value) / 12;
  }
}
