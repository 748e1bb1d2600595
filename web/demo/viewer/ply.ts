// .ply files as 3D Gaussian splatting's training writes them (INRIA): binary, little endian, an element `vertex` whose
// properties hold a Gaussian: logarithms of the scales, the logit of the opacity, the colour as spherical harmonics.
// Of those the constant part is taken; what else a vertex has is passed over.

import { LanesortError } from "../../src/index.ts";
import { SceneBuilder, type Scene } from "./scene.ts";
import { checkCount, finishFile } from "./splat_file.ts";

type Reader = (view: DataView, at: number) => number;
const kinds: Record<string, { bytes: number; read: Reader }> = {
  char: { bytes: 1, read: (view, at) => view.getInt8(at) },
  uchar: { bytes: 1, read: (view, at) => view.getUint8(at) },
  short: { bytes: 2, read: (view, at) => view.getInt16(at, true) },
  ushort: { bytes: 2, read: (view, at) => view.getUint16(at, true) },
  int: { bytes: 4, read: (view, at) => view.getInt32(at, true) },
  uint: { bytes: 4, read: (view, at) => view.getUint32(at, true) },
  float: { bytes: 4, read: (view, at) => view.getFloat32(at, true) },
  double: { bytes: 8, read: (view, at) => view.getFloat64(at, true) },
};
const otherNames: Record<string, string> = {
  int8: "char", uint8: "uchar", int16: "short", uint16: "ushort", int32: "int", uint32: "uint", float32: "float", float64: "double",
};
const needed = [
  "x", "y", "z", "scale_0", "scale_1", "scale_2", "rot_0", "rot_1", "rot_2", "rot_3", "f_dc_0", "f_dc_1", "f_dc_2", "opacity",
] as const;
const constantHarmonic = 0.28209479177387814;  // 1 / (2 sqrt(pi))
const mostHeaderBytes = 65536;
const remedyOfKind = "take the point_cloud.ply that a Gaussian splatting training wrote";

interface Header {
  bytes: number;  // of the header itself
  count: number;
  stride: number;
  properties: Map<string, { offset: number; read: Reader }>;
}

export function isPly(bytes: ArrayBuffer): boolean {
  return textOf(bytes, 3) === "ply";
}

export function parsePly(name: string, bytes: ArrayBuffer, mostSplats: number): Scene {
  const header = parseHeader(name, bytes);
  checkCount(name, header.count, mostSplats);
  const wanted = header.count * header.stride;
  const there = bytes.byteLength - header.bytes;
  if (there < wanted) {
    throw new LanesortError({
      cause: `${name}: bytes after the header, of ${wanted} that ${header.count} vertices of ${header.stride} bytes are`,
      value: there, remedy: "the file is cut off: get it again",
    });
  }
  const view = new DataView(bytes, header.bytes, wanted);
  const readers = needed.map((property) => ({ property, ...header.properties.get(property)! }));
  const vertex = {} as Record<(typeof needed)[number], number>;
  const colour = (harmonic: number): number => 0.5 + constantHarmonic * harmonic;
  const builder = new SceneBuilder(name, header.count, -1);
  for (let at = 0; at < wanted; at += header.stride) {
    for (const { property, offset, read } of readers) vertex[property] = read(view, at + offset);
    builder.add({
      position: [vertex.x, vertex.y, vertex.z],
      scale: [Math.exp(vertex.scale_0), Math.exp(vertex.scale_1), Math.exp(vertex.scale_2)],
      rotation: [vertex.rot_0, vertex.rot_1, vertex.rot_2, vertex.rot_3],
      colour: [colour(vertex.f_dc_0), colour(vertex.f_dc_1), colour(vertex.f_dc_2), 1 / (1 + Math.exp(-vertex.opacity))],
    });
  }
  return finishFile(name, builder);
}

function parseHeader(name: string, bytes: ArrayBuffer): Header {
  if (!isPly(bytes)) refuse(name, "the first bytes of a .ply file, `ply`,", JSON.stringify(textOf(bytes, 3)));
  const text = textOf(bytes, mostHeaderBytes);
  const end = /(^|\n)end_header\r?\n/.exec(text);
  if (end === null) {
    throw new LanesortError({
      cause: `${name}: no end_header in the bytes that a header may have`, value: text.length, limit: mostHeaderBytes,
      remedy: "the file is cut off or of another kind: get it again",
    });
  }
  const header: Header = { bytes: end.index + end[0].length, count: -1, stride: 0, properties: new Map() };
  let element = "";
  for (const line of text.slice(0, end.index).split(/\r?\n/).slice(1)) {
    const words = line.trim().split(/\s+/);
    if (words[0] === "format" && words[1] !== "binary_little_endian") refuse(name, "the format of a .ply file, binary_little_endian here,", words[1]);
    if (words[0] === "element") {
      if (header.count < 0 && words[1] !== "vertex") refuse(name, "the first element of a .ply file, vertex here,", words[1]);
      element = words[1]!;
      if (element === "vertex") header.count = countOf(name, words[2]);
    }
    if (words[0] === "property" && element === "vertex") addProperty(name, header, words);
  }
  if (header.count < 0) refuse(name, "element vertex", "missing");
  const missing = needed.filter((property) => !header.properties.has(property));
  if (missing.length > 0) refuse(name, `a vertex' properties, of which there must be ${missing.join(", ")},`, "missing");
  return header;
}

function addProperty(name: string, header: Header, [, type, property]: string[]): void {
  const kind = kinds[otherNames[type!] ?? type!];
  if (kind === undefined || property === undefined) refuse(name, `the type of a vertex' property ${property ?? ""}`, type);
  header.properties.set(property, { offset: header.stride, read: kind.read });
  header.stride += kind.bytes;
}

function countOf(name: string, word: string | undefined): number {
  const count = Number(word);
  if (word === undefined || !/^\d+$/.test(word) || count < 1) refuse(name, "vertices, a whole number from 1,", word);
  return count;
}

function textOf(bytes: ArrayBuffer, most: number): string {
  return new TextDecoder("latin1").decode(new Uint8Array(bytes, 0, Math.min(most, bytes.byteLength)));
}

function refuse(name: string, cause: string, value: unknown): never {
  throw new LanesortError({ cause: `${name}: ${cause}`, value, remedy: remedyOfKind });
}
