// The plan is its C++ twin's, to the last number.
import { expect, test } from "vitest";
import { planSort, type Capabilities, type Limits, type Plan, type Request } from "../../src/plan.ts";
import golden from "../../../tests/data/plans/portable.json" with { type: "json" };

// snake_case as in the file -> camelCase as in TypeScript. The fields of a step keep the contract's names.
function camel(value: unknown, keep = false): unknown {
  if (Array.isArray(value)) return value.map((item) => camel(item, keep));
  if (typeof value !== "object" || value === null) return value;
  const name = (key: string): string => (keep ? key : key.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [name(key), camel(item, keep || key === "steps")]));
}

test("there are plans to compare with", () => expect(golden.length).toBeGreaterThanOrEqual(60));

test.each(golden.map((entry, i) => [i, entry] as const))("golden plan %i", (_, entry) => {
  const { request, capabilities, limits, plan } = camel(entry) as { request: Request; capabilities: Capabilities; limits: Limits; plan: Plan };
  expect(planSort(request, capabilities, limits)).toEqual(plan);
});
