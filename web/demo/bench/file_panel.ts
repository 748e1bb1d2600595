// A file of the reader's own: read, sorted on the GPU, proved, and handed back in its format.
import { LanesortError } from "../../src/index.ts";
import { Thread } from "../cpu/thread.ts";
import { button, element, save } from "../element.ts";
import { checkName } from "../files/number_file.ts";
import { isSoftware } from "../gpu.ts";
import { Rig } from "../rig.ts";
import type { Gpu } from "../tab.ts";

interface Sorted {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
  words: string;
}

const milliseconds = (from: number, to: number): string => `${(to - from).toFixed(to - from < 10 ? 2 : 0)} ms`;
const types: Record<string, string> = { json: "application/json", txt: "text/plain", npy: "application/octet-stream" };

async function sortFile(gpu: Gpu, thread: Thread, file: File, descending: boolean,
  say: (words: string) => void): Promise<Sorted> {
  checkName(file.name, file.size);
  say(`Reading ${file.name}…`);
  const content = new Uint8Array(await file.arrayBuffer());
  const begin = performance.now();
  const { dtype, keys } = await thread.ask("read", { name: file.name, bytes: content }, [content.buffer]);
  const read = performance.now();
  let indices = new Uint32Array();
  let [sortBegin, sortEnd] = [read, read];
  if (keys.length > 0) {
    say("Sorting on the GPU…");
    const rig = await Rig.create(gpu.device, { operation: "argsort", dtype, descending }, keys);
    try {
      sortBegin = performance.now();
      await rig.run();
      indices = (await rig.read()).indices!;
      sortEnd = performance.now();
    } finally {
      rig.destroy();
    }
  }
  say("Proving the order…");
  const fault = await thread.ask("prove", { result: { indices }, descending });
  if (fault !== undefined) throw new LanesortError({ cause: `the GPU sorted wrongly, nothing is handed out: ${fault}`,
    remedy: "run the doctor tab, and report its text" });
  const bytes = await thread.ask("write", { indices, descending });
  const dot = file.name.lastIndexOf(".");
  return {
    bytes,
    name: `${file.name.slice(0, dot)}.sorted${file.name.slice(dot)}`,
    words: [
      `${indices.length.toLocaleString("en")} numbers as ${dtype}, ${descending ? "descending" : "ascending"}, verified.`,
      `Read and parsed ${milliseconds(begin, read)}; sorted and read back ${milliseconds(sortBegin, sortEnd)}${isSoftware(gpu.adapter) ? " on a software adapter, which says nothing about a GPU" : ""}.`,
    ].join(" "),
  };
}

export function makeFilePanel(gpu: Gpu): { panel: HTMLElement; destroy(): void } {
  const thread = new Thread();
  const descending = element("input", { type: "checkbox", name: "descending" });
  const input = element("input",
    { type: "file", class: "visually-hidden", id: "sort-file", accept: ".json,.npy,.txt", tabindex: -1,
    "aria-hidden": "true" });
  const outcome = element("div", { role: "status", id: "file-outcome" });
  let turn = 0;  // a later file takes the place of one that is still sorted

  const show = (kind: string, words: string,
    ...more: HTMLElement[]): void => outcome.replaceChildren(element("p", { class: `note ${kind}` }, words), ...more);
  const sort = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    const mine = ++turn;
    thread.stop();
    const say = (words: string): void => void (mine === turn && show("", words));
    try {
      const { bytes, name, words } = await sortFile(gpu, thread, file, descending.checked, say);
      if (mine !== turn) return;
      const download = button(`Download ${name}`, "primary",
        () => save(name, bytes, types[name.slice(name.lastIndexOf(".") + 1).toLowerCase()]!));
      show("good", words, element("div", { class: "row" }, download));
    } catch (error) {
      if (mine === turn) show("bad",
        `${file.name} was not sorted. ${error instanceof Error ? error.message : String(error)}`);
    }
  };

  input.addEventListener("change", () => {
    void sort(input.files?.[0]);
    input.value = "";
  });
  const drop = element("div", { class: "drop", id: "drop" },
    element("p", {}, "Drop a ", element("code", {}, ".json"), ", ", element("code", {}, ".npy"), " or ",
      element("code", {}, ".txt"), " file here"),
    element("div", { class: "row" }, button("Choose a file", "", () => input.click()),
      element("label", { class: "check" }, descending, "descending")),
    input);
  drop.addEventListener("dragover", (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    void sort(event.dataTransfer?.files[0]);
  });
  const panel = element("section", { class: "card" },
    element("h2", {}, "Sort a file"),
    element("p", { class: "lead" },
      "A JSON array of numbers, a one-dimensional numpy array, or one number a line. The file stays on this machine. Numbers come back as they were spelled, in exact order, whatever their length."),
    drop, outcome);
  return {
    panel,
    destroy() {
      ++turn;
      thread.stop();
    },
  };
}
