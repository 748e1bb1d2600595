// Texts are put together as the contract says.
import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { kernelNames } from "../../src/contract.ts";
import { kernelText } from "../../src/text.ts";

const kernelsDir = fileURLToPath(new URL("../../../kernels/wgsl", import.meta.url));
const shape = { workgroup: 64, items: 4, radixBits: 8, rows: 0, subgroupMax: 0 };

test.each(kernelNames)("%s has one entry point, of its name", (kernel) => {
  const text = kernelText(kernel, { shape, keyWords: 1, valueWords: 0 });
  expect(text.match(/@compute @workgroup_size\(WORKGROUP\)\nfn (\w+)\(/g)).toEqual([`@compute @workgroup_size(WORKGROUP)\nfn ${kernel}(`]);
  expect(text).toContain("const TILE = 256u;\n");
  expect(text).not.toMatch(/enable |subgroup[A-Z_]/);
});

test("subgroups are enabled where the kernel ranks by them, and nowhere else", () => {
  const subgroups = { ...shape, rows: 8, subgroupMax: 32 };
  const enabling = kernelNames.filter((kernel) => kernelText(kernel, { shape: subgroups, keyWords: 2, valueWords: 4 }).startsWith("enable subgroups;\n"));
  expect(enabling).toEqual(["scatter", "small"]);
});

test("every file of kernels/wgsl is part of some text", () => {
  const variants = [0, 8].flatMap((rows) => [1, 2].flatMap((keyWords) => [1, 2, 4].map((valueWords) => ({ shape: { ...shape, rows }, keyWords, valueWords }))));
  const all = variants.flatMap((variant) => kernelNames.map((kernel) => kernelText(kernel, variant))).join("");
  for (const file of readdirSync(kernelsDir)) expect(all, file).toContain(readFileSync(`${kernelsDir}/${file}`, "utf8"));
});
