// The words that differ from encoding to encoding, in a ring of slots that the host writes. Words that a slot holds
// already are not written again. A slot is written anew only when it is the one that lay longest, so that what at most
// `slots` encodings in flight read stays as it was.

import { limit, requestFields, type Request } from "./contract.js";

export class RequestRing {
  readonly buffer: GPUBuffer;
  private readonly slots: { offset: number; words: Uint32Array<ArrayBuffer> }[];  // the one used last stands last

  constructor(private readonly device: GPUDevice, slotCount: number, bufferUsage: number) {
    this.buffer = device.createBuffer({ label: "lanesort requests", size: slotCount * limit.stepStrideBytes, usage: bufferUsage });
    this.slots = Array.from({ length: slotCount }, (_, slot) => ({ offset: slot * limit.stepStrideBytes, words: new Uint32Array(requestFields.length) }));
  }

  // Where the words stand.
  place(request: Request): number {
    const words = Uint32Array.from(requestFields, (field) => request[field]);
    const found = this.slots.findIndex((slot) => slot.words.every((word, i) => word === words[i]));
    const [slot] = this.slots.splice(Math.max(found, 0), 1);
    this.slots.push(slot!);
    if (found < 0) {
      slot!.words = words;
      this.device.queue.writeBuffer(this.buffer, slot!.offset, words);
    }
    return slot!.offset;
  }
}
