// What the address says behind its question mark: #viewer?scene=synthetic&n=20000&sorter=cpu&turn=0

import { LanesortError } from "../../src/index.ts";
import { sorterChoices, type SorterName } from "./sorters.ts";

export interface Wish {
  count: number;
  sorter: SorterName;
  turning: boolean;
}

export const defaultWish: Wish = { count: 1_000_000, sorter: "tuned", turning: true };

/** Throws a LanesortError where it says what cannot be. */
export function wishOf(hash: string, most: number): Wish {
  const given = new URLSearchParams(hash.split("?")[1] ?? "");
  const refuse = (name: string, remedy: string): never => {
    throw new LanesortError({ cause: `${name} in the address`, value: given.get(name), remedy });
  };
  if ((given.get("scene") ?? "synthetic") !== "synthetic") refuse("scene", "give synthetic, or drop a file on the page");
  const count = Number(given.get("n") ?? Math.min(defaultWish.count, most));
  if (!Number.isInteger(count) || count < 1 || count > most) refuse("n", `give a whole number of splats from 1 to ${most}`);
  const name = given.get("sorter") ?? defaultWish.sorter;
  const sorter = sorterChoices.find((choice) => choice.name === name)?.name ?? refuse("sorter", `give one of ${sorterChoices.map((choice) => choice.name).join(", ")}`);
  return { count, sorter, turning: given.get("turn") !== "0" };
}

export function hashOf({ count, sorter, turning }: Wish): string {
  return `#viewer?scene=synthetic&n=${count}&sorter=${sorter}${turning ? "" : "&turn=0"}`;
}
