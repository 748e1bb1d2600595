// What needs no GPU: files, the synthetic scene, the CPU's sort, the address, the camera.
import { describe, expect, test } from "vitest";
import { LanesortError } from "../../../src/index.ts";
import { wishOf } from "../address.ts";
import { Camera } from "../camera.ts";
import { sortIds } from "../cpu_sort.ts";
import { parsePly } from "../ply.ts";
import { random } from "../random.ts";
import { placeWords, type Scene, type Splat } from "../scene.ts";
import { choiceOf, refusalOf, standInFor } from "../sorters.ts";
import { parseSplatFile } from "../splat_file.ts";
import { syntheticScene } from "../synthetic.ts";
import { plyOf, splatFileOf } from "./files.ts";

const most = 1_000_000;
const next = random(3);
const splats: Splat[] = Array.from({ length: 200 }, () => ({
  position: [next() - 0.5, 4 * next(), -next()], scale: [0.01 + next(), 0.01 + next(), 0.01 + next()],
  rotation: [next() - 0.5, next() - 0.5, next() - 0.5, next() - 0.5], colour: [next(), next(), next(), 0.02 + 0.9 * next()],
}));

// R S S R^T by its definition, entry by entry.
function covarianceOf({ scale, rotation: [w, x, y, z] }: Splat): number[] {
  const n = Math.hypot(w, x, y, z) ** 2;
  const r = [
    [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
    [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
    [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
  ].map((row) => row.map((part) => part / n));
  const entry = (i: number, j: number): number => [0, 1, 2].reduce((sum, k) => sum + r[i]![k]! * scale[k]! ** 2 * r[j]![k]!, 0);
  return [entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)];
}

function expectSplats(scene: Scene, covarianceApart: number): void {
  expect(scene.count).toBe(splats.length);
  const coordinates = new Float32Array(scene.places.buffer, scene.places.byteOffset, scene.places.length);
  splats.forEach((splat, i) => {
    expect([...coordinates.subarray(i * placeWords, i * placeWords + 3)]).toEqual([...Float32Array.from(splat.position)]);
    const bytes = [0, 8, 16, 24].map((shift) => (scene.places[i * placeWords + 3]! >>> shift) & 255);
    splat.colour.forEach((part, at) => expect(Math.abs(bytes[at]! - 255 * part)).toBeLessThan(0.51));
    const largest = Math.max(...splat.scale) ** 2;
    covarianceOf(splat).forEach((part, at) => expect(Math.abs(scene.covariances[6 * i + at]! - part) / largest).toBeLessThan(covarianceApart));
  });
}

function refusal(parse: () => unknown): LanesortError {
  try {
    parse();
  } catch (error) {
    if (error instanceof LanesortError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe(".ply", () => {
  const file = plyOf(splats);
  test("comes back as it was written", () => expectSplats(parsePly("a.ply", file, most), 1e-5));
  test("with harmonics, normals, comments, other elements and line ends", () =>
    expectSplats(parsePly("a.ply", plyOf(splats, { harmonics: 45, lineEnd: "\r\n", elementAfter: true, double: true }), most), 1e-5));
  test("cut off", () => {
    const error = refusal(() => parsePly("a.ply", file.slice(0, -1), most));
    expect(error.message).toMatch(/^a\.ply: bytes after the header, of 11200 that 200 vertices of 56 bytes are \(is 11199\): the file is cut off/);
  });
  test("cut off in its header", () => expect(refusal(() => parsePly("a.ply", file.slice(0, 60), most)).message).toMatch(/no end_header .*\(is 60, limit 65536\)/));
  test("garbage", () => {
    expect(refusal(() => parsePly("a.ply", new Uint8Array(5000).fill(7).buffer, most)).message).toMatch(/first bytes of a \.ply file.*take the point_cloud\.ply/);
    expect(refusal(() => parsePly("a.ply", new ArrayBuffer(0), most)).message).toMatch(/first bytes/);
  });
  test("of another kind", () => {
    const text = (header: string): ArrayBuffer => new TextEncoder().encode(`ply\n${header}\nend_header\n`).buffer;
    const head = "format binary_little_endian 1.0\n";
    expect(refusal(() => parsePly("a.ply", text("format ascii 1.0\nelement vertex 1"), most)).message).toMatch(/format .*\(is ascii\)/);
    expect(refusal(() => parsePly("a.ply", text(`${head}element face 3`), most)).message).toMatch(/first element .*\(is face\)/);
    expect(refusal(() => parsePly("a.ply", text(`${head}element vertex many`), most)).message).toMatch(/vertices.*\(is many\)/);
    expect(refusal(() => parsePly("a.ply", text(`${head}element vertex 3\nproperty float x`), most)).message).toMatch(/there must be y, z, scale_0.*missing/);
    expect(refusal(() => parsePly("a.ply", text(`${head}element vertex 3\nproperty list uchar int x`), most)).message).toMatch(/type of a vertex' property uchar \(is list\)/);
    expect(refusal(() => parsePly("a.ply", text(head), most)).message).toMatch(/element vertex \(is missing\)/);
  });
  test("more splats than the device holds", () => expect(refusal(() => parsePly("a.ply", file, 100)).message).toMatch(/splats in the file \(is 200, limit 100\): take a smaller scene/));
});

describe(".splat", () => {
  const file = splatFileOf(splats);
  test("comes back as it was written", () => expectSplats(parseSplatFile("a.splat", file, most), 0.04));  // rotations are bytes
  test("cut off", () => expect(refusal(() => parseSplatFile("a.splat", file.slice(0, 33), most)).message).toMatch(/32 for each splat \(is 33\): it is cut off .* 1 bytes are left over/));
  test("empty", () => expect(refusal(() => parseSplatFile("a.splat", new ArrayBuffer(0), most)).message).toMatch(/\(is 0\): the file is empty/));
  test("garbage", () => {
    const bytes = Uint8Array.from({ length: 3200 }, () => 256 * next());
    const error = refusal(() => parseSplatFile("a.splat", bytes.buffer, most));
    expect(error.message).toMatch(/whose numbers no Gaussian has.*limit 1\): the file is damaged/);
    expect(error.value).toBeGreaterThan(50);
  });
  test("a splat of a hundred that is not a number is left out", () => {
    const bytes = file.slice(0);
    new DataView(bytes).setFloat32(4, NaN, true);
    const scene = parseSplatFile("a.splat", bytes, most);
    expect([scene.count, scene.leftOut]).toEqual([199, 1]);
  });
  test("more splats than the device holds", () => expect(refusal(() => parseSplatFile("a.splat", file, 199)).message).toMatch(/\(is 200, limit 199\)/));
});

test("the synthetic scene is the same for a seed, and has as many splats as were asked for", () => {
  for (const count of [1, 2, 3, 1000]) expect(syntheticScene(count).count).toBe(count);
  expect(syntheticScene(500, 1).places).toEqual(syntheticScene(500, 1).places);
  expect(syntheticScene(500, 1).places).not.toEqual(syntheticScene(500, 2).places);
});

test("the CPU's sort is stable", () => {
  const keys = Uint32Array.from({ length: 5000 }, (_, i) => [0, 0xffffffff, 0x10000, 0xffff, (next() * 2 ** 32) >>> 0][i % 5]!);
  const ids = keys.map((_, i) => i);
  expect([...sortIds(keys, ids)]).toEqual([...ids].sort((a, b) => keys[a]! - keys[b]! || a - b));
  expect(sortIds(new Uint32Array(0), new Uint32Array(0)).length).toBe(0);
});

test("a sorter past its limit says so, and another stands in", () => {
  const chunk = choiceOf("chunk");
  expect([refusalOf(chunk, 262144), standInFor("chunk", 262144)]).toEqual([undefined, "chunk"]);
  expect(refusalOf(chunk, 262145)).toBe("Chunk sort takes at most 262,144 splats and 262,145 are seen: choose a smaller scene, or look at a part of this one.");
  expect([standInFor("chunk", 262145), standInFor("cpu", 10 ** 9)]).toEqual(["tuned", "cpu"]);
});

test("the address", () => {
  expect(wishOf("#viewer?scene=synthetic&n=20000&sorter=cpu&turn=0&scale=0.5", 5, 10 ** 6)).toEqual({ wish: { count: 20000, sorter: "cpu", turning: false, scale: 0.5 }, refusal: undefined });
  expect(wishOf("", 5, 10).wish).toEqual({ count: 5, sorter: "tuned", turning: true });
  const { wish, refusal: words } = wishOf("#viewer?n=11&sorter=bubble&scale=9", 5, 10);
  expect(wish).toEqual({ count: 5, sorter: "tuned", turning: true });
  expect(words).toBe("n in the address (is 11): give a whole number of splats from 1 to 10; sorter in the address (is bubble): give one of tuned, singlePass, reduceThenScan, chunk, cpu, unsorted; scale in the address (is 9): give a number from 0.1 to 4.");
});

test("the camera's axes are at right angles, y down, z to what it looks at", () => {
  for (const up of [1, -1] as const) {
    const camera = new Camera();
    camera.frame({ centre: [1, 2, 3], radius: 2 }, up);
    camera.orbit(0.7, 0.4);
    const [x, y, z] = camera.view(100, 50).rows;
    const dot = (a: readonly number[], b: readonly number[]): number => a[0]! * b[0]! + a[1]! * b[1]! + a[2]! * b[2]!;
    for (const [a, b] of [[x, y], [y, z], [z, x]] as const) expect(dot(a, b)).toBeCloseTo(0, 12);
    for (const row of [x, y, z]) expect(dot(row, row)).toBeCloseTo(1, 12);
    expect(x[1] * z[2] - x[2] * z[1]).toBeCloseTo(-y[0], 12);  // right-handed
    expect(y[1] * up).toBeLessThan(0);
    const centre = [1, 2, 3];
    expect(dot(x, centre) + x[3]).toBeCloseTo(0, 12);
    expect(dot(y, centre) + y[3]).toBeCloseTo(0, 12);
    expect(dot(z, centre) + z[3]).toBeGreaterThan(0);
  }
});
