// What stands beside and on the picture.

import { button, element } from "../element.ts";
import { choiceOf, sorterChoices, type SorterName } from "./sorters.ts";

export const syntheticCounts = [1_000_000, 250_000, 60_000, 20_000] as const;

export interface Wishes {
  sorter(name: SorterName): void;
  synthetic(count: number): void;
  file(file: File): void;
  turn(): void;
  reset(): void;
  flip(): void;
}

export interface Panel {
  readonly root: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  /** Which sorter is chosen, and why some cannot be: their names and the reason. */
  showSorter(chosen: SorterName, refused: ReadonlyMap<SorterName, string>): void;
  showScene(name: string, count: number): void;
  showTurning(turning: boolean): void;
  showReadings(readings: Record<ReadingName, string>): void;
  showExplanation(text: string): void;
  /** A sentence on the picture; a bad one is an error. */
  say(text: string, kind?: "" | "warn" | "bad"): void;
  busy(text: string | undefined): void;
}

const readingNames = { frame: "Frame", sort: "Sort", draw: "Draw", seen: "Seen" } as const;
export type ReadingName = keyof typeof readingNames;

const hands: [string, string][] = [
  ["Turn", "drag, one finger, arrow keys"],
  ["Zoom", "wheel, two fingers, + and −"],
  ["Move", "right button or Shift with drag or arrows, two fingers"],
  ["Stop or go on turning", "Space"],
  ["Reset, flip what is up", "R, F"],
  ["Sorters", "1 to 6"],
];

export function makePanel(wishes: Wishes): Panel {
  const canvas = element("canvas", { class: "viewer-canvas", tabindex: 0, role: "application", "aria-label": "The splats. Arrow keys turn, plus and minus zoom, shift with arrows moves." });
  const readings = Object.fromEntries(Object.keys(readingNames).map((name) => [name, element("dd", {}, "…")])) as Record<ReadingName, HTMLElement>;
  const list = element("dl", { class: "viewer-readings", "aria-label": "Live readings" },
    ...Object.entries(readingNames).map(([name, label]) => element("div", {}, element("dt", {}, label), readings[name as ReadingName])));
  const turning = button("Stop", "", wishes.turn);
  const tools = element("div", { class: "viewer-tools", role: "group", "aria-label": "Camera" },
    turning, button("Reset", "", wishes.reset), button("Flip", "", wishes.flip));
  const waiting = element("p", { class: "viewer-busy", role: "status", hidden: true });
  const drop = element("p", { class: "viewer-drop", hidden: true }, "Drop a .ply or .splat file");
  const words = element("p", { class: "viewer-words", role: "status", hidden: true });
  const stage = element("div", { class: "viewer-stage" }, canvas, list, element("div", { class: "viewer-foot" }, words, tools), waiting, drop);

  const { fieldset, radios, reason } = sorterField(wishes);
  const { field, select } = sceneField(wishes);
  const explanation = element("pre", { class: "viewer-explanation" });
  const side = element("aside", { class: "viewer-side", "aria-label": "Sorters and scenes" },
    fieldset, reason, field,
    element("details", {}, element("summary", {}, "What runs"), explanation),
    element("details", {}, element("summary", {}, "Hands and keys"),
      element("dl", { class: "viewer-hands" }, ...hands.flatMap(([what, how]) => [element("dt", {}, what), element("dd", {}, how)]))));
  const root = element("div", { class: "viewer" }, stage, side);
  takeDrops(root, drop, wishes.file);

  return {
    root, canvas,
    showSorter(chosen, refused) {
      for (const [name, radio] of radios) {
        radio.checked = name === chosen;
        radio.disabled = refused.has(name);
        radio.parentElement!.classList.toggle("refused", radio.disabled);
      }
      reason.textContent = [...refused.values()].join(" ");
      reason.hidden = refused.size === 0;
      fieldset.querySelector(".viewer-what")!.textContent = choiceOf(chosen).what + ".";
    },
    showScene(name, count) {
      const own = syntheticCounts.some((known) => known === count) && name.startsWith("synthetic");
      select.querySelector("option[data-file]")?.remove();
      if (!own) select.prepend(element("option", { value: "", "data-file": true }, `${name} (${count.toLocaleString("en")})`));
      select.value = own ? String(count) : "";
    },
    showTurning(on) { turning.textContent = on ? "Stop" : "Turn"; },
    showReadings(texts) { for (const [name, text] of Object.entries(texts)) if (readings[name as ReadingName].textContent !== text) readings[name as ReadingName].textContent = text; },
    showExplanation(text) { explanation.textContent = text; },
    say(text, kind = "") {
      words.textContent = text;
      words.className = `viewer-words ${kind}`.trim();
      words.hidden = text === "";
      if (kind === "bad") words.scrollIntoView({ block: "nearest" });
    },
    busy(text) {
      waiting.hidden = text === undefined;
      waiting.replaceChildren(...(text === undefined ? [] : [element("span", { class: "spinner", "aria-hidden": "true" }), text]));
    },
  };
}

function sorterField(wishes: Wishes): { fieldset: HTMLFieldSetElement; radios: Map<SorterName, HTMLInputElement>; reason: HTMLElement } {
  const radios = new Map(sorterChoices.map(({ name }, i) => {
    const radio = element("input", { type: "radio", name: "viewer-sorter", value: name, "aria-keyshortcuts": i + 1 });
    radio.addEventListener("change", () => wishes.sorter(name));
    return [name, radio] as const;
  }));
  const fieldset = element("fieldset", { class: "viewer-sorters" },
    element("legend", {}, "Sorted every frame by"),
    element("div", { class: "viewer-choices" }, ...sorterChoices.map(({ name, label, what }) => element("label", { title: what }, radios.get(name), element("span", {}, label)))),
    element("p", { class: "viewer-what note" }));
  return { fieldset, radios, reason: element("p", { class: "note warn viewer-reason", role: "status", hidden: true }) };
}

function sceneField(wishes: Wishes): { field: HTMLElement; select: HTMLSelectElement } {
  const select = element("select", { "aria-label": "Scene" },
    ...syntheticCounts.map((count) => element("option", { value: count }, `Synthetic, ${count.toLocaleString("en")} splats`)));
  select.addEventListener("change", () => { if (select.value !== "") wishes.synthetic(Number(select.value)); });
  const input = element("input", { type: "file", accept: ".ply,.splat", hidden: true, "aria-label": "A .ply or .splat file" });
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    if (file !== undefined) wishes.file(file);
    input.value = "";  // the same file again is a change too
  });
  const field = element("div", { class: "viewer-scene" },
    element("label", { class: "field" }, "Scene", select),
    button("Open .ply or .splat…", "", () => input.click()), input,
    element("p", { class: "note" }, "Or drop one on the page. It stays in this browser."));
  return { field, select };
}

function takeDrops(root: HTMLElement, veil: HTMLElement, take: (file: File) => void): void {
  const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
  root.addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    veil.hidden = false;
  });
  root.addEventListener("dragleave", (event) => {
    if (!root.contains(event.relatedTarget as Node | null)) veil.hidden = true;
  });
  root.addEventListener("drop", (event) => {
    veil.hidden = true;
    const file = event.dataTransfer?.files[0];
    if (file === undefined) return;
    event.preventDefault();
    take(file);
  });
}
