// Where there is no GPU and no navigator: the package is imported all the same, and typed arrays are sorted.
import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { argsortTypedArray, LanesortError, sortTypedArray } from "../../src/index.ts";
import { argsortOnCpu } from "../../src/cpu.ts";
import { requestOf, type SortOptions } from "../../src/options.ts";
import { bitsOf, expectedOrder } from "../sorting/oracle.ts";
import { keysOf, randomOf } from "../sorting/patterns.ts";
import { orderOf } from "../sorting/trial.ts";
import type { Dtype } from "../../src/index.ts";

test("this Node has no navigator.gpu, which is what is tested here", () => expect(globalThis.navigator?.gpu).toBeUndefined());

test("arrays are sorted", async () => {
  expect(await sortTypedArray(Float32Array.of(3, NaN, -1, 0, -0))).toEqual(Float32Array.of(-1, 0, -0, 3, NaN));
  expect(await argsortTypedArray(Int8Array.of(3, -3, 3, 0), { descending: true })).toEqual(Uint32Array.of(0, 2, 3, 1));
});

test("a GPU that is asked for and is not there is an error", async () => {
  const sorting = sortTypedArray(Uint8Array.of(2, 1), { backend: "gpu" });
  await expect(sorting).rejects.toBeInstanceOf(LanesortError);
  await expect(sorting).rejects.toThrow(/no GPU.*navigator.gpu/);
});

test.each(Object.keys(bitsOf) as Dtype[])("the CPU's order of %s is the oracle's", (dtype) => {
  for (const floatOrder of ["numeric", "nanFirst", "bits"] as const) {
    for (const descending of [false, true]) {
      const options: SortOptions = { dtype, maxCount: 400, descending, floatOrder };
      const keys = keysOf(dtype, "special", 400, randomOf(5));
      expect(Array.from(argsortOnCpu(keys, requestOf(options)))).toEqual(expectedOrder(keys, 400, orderOf(options)));
    }
  }
});

test("no source imports anything from outside, or waits when it is imported", () => {
  const src = fileURLToPath(new URL("../../src", import.meta.url));
  for (const file of readdirSync(src)) {
    const text = readFileSync(`${src}/${file}`, "utf8");
    for (const [, from] of text.matchAll(/\bfrom "([^"]*)"/g)) expect(from, file).toMatch(/^\.\.?\//);
    expect(text, file).not.toMatch(/^(await|export const \w+ = await)/m);
  }
});
