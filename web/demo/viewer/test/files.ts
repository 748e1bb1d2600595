// Writers of what the viewer reads.
import type { Splat } from "../scene.ts";

interface PlyOptions {
  /** f_rest properties. */
  harmonics?: number;
  lineEnd?: string;
  elementAfter?: boolean;
  /** x as a double. */
  double?: boolean;
}

export function plyOf(splats: readonly Splat[], { harmonics = 0, lineEnd = "\n", elementAfter = false, double = false }: PlyOptions = {}): ArrayBuffer {
  const rest = Array.from({ length: harmonics }, (_, i) => `f_rest_${i}`);
  const names = ["x", "y", "z", "f_dc_0", "f_dc_1", "f_dc_2", ...rest, "opacity", "scale_0", "scale_1", "scale_2", "rot_0", "rot_1", "rot_2", "rot_3"];
  const head = new TextEncoder().encode([
    "ply", "format binary_little_endian 1.0", "comment of a test", `element vertex ${splats.length}`,
    ...names.map((name) => `property ${name === "x" && double ? "double" : "float"} ${name}`),
    ...(elementAfter ? ["element extra 1", "property float x"] : []), "end_header", "",
  ].join(lineEnd));
  const stride = 4 * names.length + (double ? 4 : 0);
  const bytes = new Uint8Array(head.length + stride * splats.length + (elementAfter ? 4 : 0));
  bytes.set(head);
  const view = new DataView(bytes.buffer);
  let at = head.length;
  for (const { position, scale, rotation, colour } of splats) {
    const harmonic = (part: number): number => (part - 0.5) * 2 * Math.sqrt(Math.PI);
    if (double) view.setFloat64(at, Math.fround(position[0]), true);
    else view.setFloat32(at, position[0], true);
    at += double ? 8 : 4;
    const values = [
      position[1], position[2], ...colour.slice(0, 3).map(harmonic), ...rest.map((_, i) => i), Math.log(colour[3] / (1 - colour[3])),
      ...scale.map(Math.log), ...rotation,
    ];
    for (const value of values) {
      view.setFloat32(at, value, true);
      at += 4;
    }
  }
  return bytes.buffer;
}

export function splatFileOf(splats: readonly Splat[]): ArrayBuffer {
  const view = new DataView(new ArrayBuffer(32 * splats.length));
  splats.forEach(({ position, scale, rotation, colour }, i) => {
    [...position, ...scale].forEach((value, word) => view.setFloat32(32 * i + 4 * word, value, true));
    colour.forEach((part, byte) => view.setUint8(32 * i + 24 + byte, Math.round(255 * part)));
    const length = Math.hypot(...rotation);
    rotation.forEach((part, byte) => view.setUint8(32 * i + 28 + byte, Math.min(255, Math.round(128 + (128 * part) / length))));
  });
  return view.buffer;
}
