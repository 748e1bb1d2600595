// What the address says behind its question mark: #viewer?scene=synthetic&n=20000&sorter=cpu&turn=0&scale=1

import { LanesortError } from "../../src/index.ts";
import { sorterChoices, type SorterName } from "./sorters.ts";

export interface Wish {
  count: number;
  sorter: SorterName;
  turning: boolean;
  /** Pixels of the picture for one of the page; undefined: as the screen has, or fewer on a driver for the CPU. */
  scale?: number;
}

/** What of it can be; and of what cannot, why. `count`: where it says none. */
export function wishOf(hash: string, count: number, most: number): { wish: Wish; refusal: string | undefined } {
  const wish: Wish = { count, sorter: "tuned", turning: true };
  const given = new URLSearchParams(hash.split("?")[1] ?? "");
  const refusals: string[] = [];
  const take = (name: string, remedy: string, used: (value: string) => boolean): void => {
    const value = given.get(name);
    if (value !== null && !used(value)) refusals.push(new LanesortError({ cause: `${name} in the address`, value, remedy }).message);
  };
  take("scene", "give synthetic, or drop a file on the page", (value) => value === "synthetic");
  take("n", `give a whole number of splats from 1 to ${most}`, (value) => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < 1 || number > most) return false;
    wish.count = number;
    return true;
  });
  take("sorter", `give one of ${sorterChoices.map((choice) => choice.name).join(", ")}`, (value) => {
    const choice = sorterChoices.find(({ name }) => name === value);
    wish.sorter = choice?.name ?? wish.sorter;
    return choice !== undefined;
  });
  take("turn", "give 0 or 1", (value) => {
    wish.turning = value !== "0";
    return value === "0" || value === "1";
  });
  take("scale", "give a number from 0.1 to 4", (value) => {
    const scale = Number(value);
    if (!(scale >= 0.1 && scale <= 4)) return false;
    wish.scale = scale;
    return true;
  });
  return { wish, refusal: refusals.length === 0 ? undefined : `${refusals.join("; ")}.` };
}

export function hashOf({ count, sorter, turning, scale }: Wish): string {
  return `#viewer?scene=synthetic&n=${count}&sorter=${sorter}${turning ? "" : "&turn=0"}${scale === undefined ? "" : `&scale=${scale}`}`;
}
