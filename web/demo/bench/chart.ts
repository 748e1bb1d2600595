// Throughput over the number of items, both axes logarithmic, as an SVG. A point is a median, its bar the quartiles.
import { drawing, element, type Child } from "../element.ts";

export interface ChartPoint {
  count: number;
  perSecond: number;
  least: number;
  most: number;
}
export interface Series {
  name: string;
  /** A CSS colour. */
  colour: string;
  /** Shape of the marks and dashes of the line, so that colour alone tells nothing. */
  style: 0 | 1 | 2 | 3;
  points: ChartPoint[];
}

const dashes = ["", "7 4", "2 4", "10 3 2 3"] as const;
const size = 4.5;
const margin = { left: 58, right: 16, top: 14, bottom: 44 };

function mark(style: Series["style"], x: number, y: number): SVGElement {
  const at = { class: "mark" };
  const path = (d: string): SVGElement => drawing("path", { ...at, d });
  switch (style) {
    case 0: return drawing("circle", { ...at, cx: x, cy: y, r: size });
    case 1: return drawing("rect", { ...at, x: x - size, y: y - size, width: 2 * size, height: 2 * size });
    case 2: return path(`M${x} ${y - 1.3 * size}L${x + 1.2 * size} ${y + size}L${x - 1.2 * size} ${y + size}Z`);
    case 3: return path(`M${x} ${y - 1.4 * size}L${x + 1.4 * size} ${y}L${x} ${y + 1.4 * size}L${x - 1.4 * size} ${y}Z`);
  }
}

const prefixes: [number, string][] = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]];
export function perSecondText(value: number): string {
  const [unit, letter] = prefixes.find(([least]) => value >= least) ?? [1, ""];
  const scaled = value / unit;
  return `${scaled >= 100 ? scaled.toFixed(0) : scaled.toPrecision(3).replace(/\.?0+$/, "")}${letter === "" ? "" : ` ${letter}`}`;
}

export function countText(count: number): string {
  for (const [unit, letter] of [[2 ** 20, "Mi"],
    [2 ** 10, "Ki"]] as const) if (count >= unit && count % unit === 0) return `${count / unit} ${letter}`;
  return String(count);
}

// 1, 2 and 5 times a power of ten, those that lie in the range; powers alone where that would be too many.
function ticks(least: number, most: number): number[] {
  const decades = Math.log10(most / least);
  const steps = decades > 2.2 ? [1] : [1, 2, 5];
  const all: number[] = [];
  for (let power = 10 ** Math.floor(Math.log10(least)); power <= most; power *= 10)
    for (const step of steps) if (step * power >= least && step * power <= most) all.push(step * power);
  return all;
}

interface Scale {
  x(count: number): number;
  y(perSecond: number): number;
}

function axes(width: number, height: number, counts: number[], [low, high]: [number, number], scale: Scale): Child[] {
  const every = Math.max(1, Math.ceil((counts.length * 52) / (width - margin.left - margin.right)));
  const text = (x: number, y: number, anchor: string, words: string): Child => drawing("text",
    { x, y, "text-anchor": anchor }, words);
  return [
    ...ticks(low, high).flatMap((value) => [
      drawing("line", { class: "grid", x1: margin.left, x2: width - margin.right, y1: scale.y(value),
        y2: scale.y(value) }),
      text(margin.left - 8, scale.y(value) + 4, "end", perSecondText(value)),
    ]),
    ...counts.flatMap((count, i) => [
      drawing("line", { class: "grid", x1: scale.x(count), x2: scale.x(count), y1: height - margin.bottom,
        y2: height - margin.bottom + 5 }),
      (counts.length - 1 - i) % every === 0 ? text(scale.x(count), height - margin.bottom + 19, "middle",
        countText(count)) : undefined,
    ]),
    drawing("line", { class: "grid", x1: margin.left, x2: width - margin.right, y1: height - margin.bottom,
      y2: height - margin.bottom }),
    text((margin.left + width - margin.right) / 2, height - 6, "middle", "items"),
    drawing("text", { x: 12, y: (height - margin.bottom) / 2, "text-anchor": "middle",
      transform: `rotate(-90 12 ${(height - margin.bottom) / 2})` }, "items per second"),
  ];
}

function lineOf({ name, colour, style, points }: Series, scale: Scale): SVGElement {
  const path = points.map(({ count, perSecond },
    i) => `${i === 0 ? "M" : "L"}${scale.x(count)} ${scale.y(perSecond)}`).join("");
  const bars = points.map(({ count, least, most }) => {
    const [x, from, to] = [scale.x(count), scale.y(least), scale.y(most)];
    return `M${x - 5} ${from}H${x + 5}M${x} ${from}V${to}M${x - 5} ${to}H${x + 5}`;
  }).join("");
  return drawing("g", { style: `color: ${colour}` },
    drawing("path", { class: "line", d: path, "stroke-dasharray": dashes[style] }),
    drawing("path", { class: "bars", d: bars }),
    ...points.map(({ count, perSecond }) => {
      const made = mark(style, scale.x(count), scale.y(perSecond));
      made.append(drawing("title", {},
        `${name}, ${countText(count)} items: ${perSecondText(perSecond)} items a second`));
      return made;
    }));
}

export function chart(series: readonly Series[], width: number): SVGSVGElement {
  const height = Math.round(Math.min(440, Math.max(280, width * 0.5)));
  const points = series.flatMap((one) => one.points);
  const counts = [...new Set(points.map(({ count }) => count))].sort((a, b) => a - b);
  const [least, most] = [Math.min(...points.map((point) => point.least)),
    Math.max(...points.map((point) => point.most))];
  const range: [number, number] = [least / 1.3, most * 1.3];
  const place = (value: number, [low, high]: [number, number], from: number, to: number): number =>
    low === high ? (from + to) / 2 : from + (Math.log(value / low) / Math.log(high / low)) * (to - from);
  const scale: Scale = {
    x: (count) => place(count, [counts[0]!, counts.at(-1)!], margin.left + 20, width - margin.right - 20),
    y: (perSecond) => place(perSecond, range, height - margin.bottom, margin.top),
  };
  const said = series.map(({ name, points: own }) => `${name}: ${own.map(({ count, perSecond }) => `${perSecondText(perSecond)} at ${countText(count)}`).join(", ")}`);
  return drawing("svg",
    { class: "chart", viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
    "aria-label": `Items per second. ${said.join(". ")}` },
    ...axes(width, height, counts, range, scale), ...series.map((one) => lineOf(one, scale)));
}

export function legend(series: readonly Series[]): HTMLUListElement {
  return element("ul", { class: "legend" },
    ...series.map(({ name, colour, style }) => element("li", { style: `color: ${colour}` },
    drawing("svg", { class: "chart", viewBox: "0 0 36 16", "aria-hidden": "true" },
      drawing("path", { class: "line", d: "M0 8H36", "stroke-dasharray": dashes[style] }), mark(style, 18, 8)),
    element("span", {}, name))));
}
