// Points -> the lines of the chart: a colour for each operation, a style for each form, the CPU apart from both.
import type { ChartPoint, Series } from "./chart.ts";
import type { FormName, Point, Times } from "./results.ts";
import type { WholeSort } from "../rig.ts";

export const operationNames: Record<WholeSort, string> = { sort: "keys", sortPairs: "pairs", argsort: "argsort" };
export const formNames: Record<FormName,
  string> = { tuned: "auto", singlePass: "single pass", reduceThenScan: "reduce then scan" };

const colours: Record<WholeSort,
  string> = { sort: "var(--series-1)", sortPairs: "var(--series-2)", argsort: "var(--series-3)" };
const styles: Record<FormName, Series["style"]> = { tuned: 0, singlePass: 1, reduceThenScan: 2 };

function pointOf(count: number, { median_s, q1_s, q3_s }: Times): ChartPoint | undefined {
  // A clock that is too coarse may say zero: nothing is drawn of that.
  if (median_s === null || q1_s === null || q3_s === null || q1_s <= 0) return undefined;
  return { count, perSecond: count / median_s, least: count / q3_s, most: count / q1_s };
}

export function seriesOf(points: readonly Point[]): Series[] {
  const all = new Map<string, Series>();
  const add = (series: Omit<Series, "points">, point: ChartPoint | undefined): void => {
    if (point === undefined) return;
    if (!all.has(series.name)) all.set(series.name, { ...series, points: [] });
    all.get(series.name)!.points.push(point);
  };
  for (const { operation, asked, row } of points) {
    if (row.verified) add({ name: `${operationNames[operation]}, ${formNames[asked]}`, colour: colours[operation],
      style: styles[asked] }, pointOf(row.count, row));
    for (const rival of row.rivals) {
      if (rival.verified) add({ name: `${operationNames[operation]}, CPU: ${rival.name}`, colour: "var(--series-4)",
        style: operation === "sort" ? 3 : operation === "argsort" ? 2 : 1 }, pointOf(row.count, rival));
    }
  }
  return [...all.values()].map((series) => ({ ...series, points: series.points.sort((a, b) => a.count - b.count) }));
}
