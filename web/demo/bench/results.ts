// Rows and the results file: schema 1 of docs/benchmarking.md, the same as the command line's.
import type { Dtype, SortOptions } from "../../src/index.ts";
import type { Pattern } from "../cpu/keys.ts";
import type { Spread } from "../cpu/statistics.ts";
import type { WholeSort } from "../rig.ts";

export type FormName = NonNullable<SortOptions["form"]>;

export interface Times {
  median_s: number | null;
  q1_s: number | null;
  q3_s: number | null;
  samples: number;
}
export interface RivalRow extends Times {
  name: string;
  version: string;
  verified: boolean;
  fault: string | null;
}
export interface Row extends Times {
  backend: "webgpu";
  op: "sort" | "sort_pairs" | "argsort";
  key: Dtype;
  value_bytes: number;
  count: number;
  pattern: Pattern;
  order: "asc";
  form: "src_dst";
  bits: "all";
  engine: string;
  keys_per_s: number | null;
  copy_share: null;
  verified: boolean;
  fault: string | null;
  rivals: RivalRow[];
}

/** A row, and which form was asked for: "tuned" gives one of the others. */
export interface Point {
  operation: WholeSort;
  asked: FormName;
  row: Row;
}

export const timesOf = (spread: Spread | null): Times => spread ?? { median_s: null, q1_s: null, q3_s: null,
  samples: 0 };
export const opOf: Record<WholeSort, Row["op"]> = { sort: "sort", sortPairs: "sort_pairs", argsort: "argsort" };

export interface Environment {
  device: string;
  clock: "device" | "host";
  subgroups: boolean;
}

export function resultsFile(points: readonly Point[], { device, clock, subgroups }: Environment,
  notes: readonly string[]): string {
  const file = {
    schema: 1,
    environment: {
      device, driver: "by the browser", compiler: navigator.userAgent, commit: LANESORT_COMMIT,
        date: new Date().toISOString(), clock,
      copy_bytes_per_s: null, threads: navigator.hardwareConcurrency, isa: subgroups ? "subgroups" : "no_subgroups",
        load_average: null,
    },
    notes,
    rows: points.map(({ row }) => row),
  };
  return `${JSON.stringify(file, null, 1)}\n`;
}
