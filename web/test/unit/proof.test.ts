// The page's proofs: they agree with the oracle on what is right, and find every kind of wrong.
import { expect, test } from "vitest";
import { dtypeNames, formats, rawOf } from "../../demo/cpu/format.ts";
import { makeKeys, patternNames } from "../../demo/cpu/keys.ts";
import { faultOfIndices, faultOfKeys, faultOfMoved, imagesOf } from "../../demo/cpu/proof.ts";
import { enough, spreadOf } from "../../demo/cpu/statistics.ts";
import { expectedOrder, permuted } from "../sorting/oracle.ts";
import { keysOf, randomOf } from "../sorting/patterns.ts";
import { orderOf } from "../sorting/trial.ts";

const count = 300;

test.each(dtypeNames)("%s: the oracle's order is proved, and its neighbours are not", (dtype) => {
  const { bytes } = formats[dtype];
  for (const descending of [false, true]) {
    const keys = keysOf(dtype, "special", count, randomOf(11));
    const order = expectedOrder(keys, count, orderOf({ dtype, maxCount: count, descending }));
    const indices = Uint32Array.from(order);
    const images = imagesOf(keys, dtype, descending);
    const after = Uint8Array.from(permuted(keys, bytes, order));
    expect(faultOfIndices(images, indices)).toBeUndefined();
    expect(faultOfKeys(keys, after, dtype, descending)).toBeUndefined();
    expect(faultOfMoved(rawOf(keys, dtype), rawOf(after, dtype), indices)).toBeUndefined();
    for (let i = 1; i < count; ++i) {
      const swapped = indices.slice();
      [swapped[i - 1], swapped[i]] = [indices[i]!, indices[i - 1]!];
      expect(faultOfIndices(images, swapped), `places ${i - 1} and ${i}`).toMatch(/not stable|out of order/);
      const moved = Uint8Array.from(permuted(keys, bytes, Array.from(swapped)));
      const differ = moved.some((byte, at) => byte !== after[at]);
      expect(faultOfKeys(keys, moved, dtype, descending) !== undefined, `keys ${i - 1} and ${i}`).toBe(differ);
      if (differ) expect(faultOfMoved(rawOf(keys, dtype), rawOf(moved, dtype), indices)).toMatch(/place/);
    }
  }
});

test("a lost key, a key twice, an index beyond the end", () => {
  const keys = Uint8Array.of(3, 1, 2);
  expect(faultOfKeys(keys, Uint8Array.of(1, 2, 2), "u8", false)).toMatch(/place 2/);
  const images = imagesOf(keys, "u8", false);
  expect(faultOfIndices(images, Uint32Array.of(1, 1, 0))).toMatch(/second time/);
  expect(faultOfIndices(images, Uint32Array.of(1, 2, 3))).toMatch(/index 3 of 3/);
  expect(faultOfIndices(images, Uint32Array.of(1, 2))).toMatch(/2 indices for 3 keys/);
});

test.each(patternNames)("%s: sorted and reversed are what they say, every key is as many bytes as its type", (pattern) => {
  for (const dtype of dtypeNames) {
    const keys = makeKeys({ dtype, pattern, count, seed: 3 });
    expect(keys.length).toBe(count * formats[dtype].bytes);
    if (pattern !== "sorted" && pattern !== "reversed") continue;
    const images = Array.from<number | bigint>(imagesOf(keys, dtype, pattern === "reversed") as ArrayLike<number | bigint>);
    for (let i = 1; i < count; ++i) expect(images[i]! >= images[i - 1]!, `${dtype}, place ${i}`).toBe(true);
  }
});

test("uniform floats lie in [-1, 1) and on both sides of zero", () => {
  const numbers = new Float32Array(makeKeys({ dtype: "f32", pattern: "uniform", count: 1000, seed: 5 }).buffer);
  expect(Math.min(...numbers)).toBeGreaterThanOrEqual(-1);
  expect(Math.max(...numbers)).toBeLessThan(1);
  expect(numbers.filter((number) => number < 0).length).toBeGreaterThan(400);
  expect(numbers.filter((number) => number > 0).length).toBeGreaterThan(400);
});

test("medians and quartiles, and when there are enough samples", () => {
  expect(spreadOf([5, 1, 4, 2, 3])).toEqual({ median_s: 3, q1_s: 2, q3_s: 4, samples: 5 });
  expect(enough([1, 1, 1, 1], 0, 9)).toBe(false);
  expect(enough([1, 1, 1, 1, 1], 0, 9)).toBe(true);
  expect(enough([1, 2, 3, 4, 5], 0, 9)).toBe(false);
  expect(enough([1, 2, 3, 4, 5], 9, 9)).toBe(true);
  expect(enough([10, 10, 10], 30, 9)).toBe(true);
});
