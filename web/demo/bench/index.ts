// The bench tab: throughput by measurements that were proved first, and files of the reader's own.
import { element, button, save, table, type Child } from "../element.ts";
import { Thread } from "../cpu/thread.ts";
import { isSoftware, nameOf } from "../gpu.ts";
import type { Gpu, MountTab } from "../tab.ts";
import { chart, countText, legend, perSecondText } from "./chart.ts";
import { Clock } from "./clock.ts";
import { makeControls } from "./controls.ts";
import { makeFilePanel } from "./file_panel.ts";
import { measure, type Bench, type Task } from "./measurement.ts";
import { resultsFile, type Point } from "./results.ts";
import { formNames, operationNames, seriesOf } from "./series.ts";

const secondsOfRow = 0.6;

const clockNote = (clock: Clock | undefined): string =>
  clock === undefined ? "A software adapter: every sort is proved, none is timed, and no chart is drawn. Its times would say nothing about a GPU."
  : clock.name === "device" ? "Times are the GPU’s own timestamps, from the start of the first kernel to the end of the last."
  : "This device has no timestamps: times are from submit to done by the page’s clock, with what the browser adds.";

function seconds(value: number): string {
  return value < 1e-3 ? `${(value * 1e6).toFixed(1)} µs` : value < 1 ? `${(value * 1e3).toFixed(2)} ms` : `${value.toFixed(2)} s`;
}

const badge = (good: boolean, words: string): HTMLElement => element("span",
  { class: `badge ${good ? "good" : "bad"}` }, words);

function timeCells({ median_s, q1_s, q3_s, verified, fault }: Point["row"] | Point["row"]["rivals"][number],
  count: number): Child[] {
  const wrong = fault === null ? "WRONG" : fault.startsWith("refused") ? "refused" : "WRONG";
  const timed = median_s !== null && q1_s !== null && q3_s !== null;
  return [
    timed ? seconds(median_s) : "not timed", timed ? `${seconds(q1_s)} – ${seconds(q3_s)}` : "",
    timed && median_s > 0 ? perSecondText(count / median_s) : "",
      verified ? badge(true, "verified") : element("span", {}, badge(false, wrong), ` ${fault ?? ""}`),
  ];
}

function pointRows({ operation, asked, row }: Point): Child[][] {
  const name = operationNames[operation];
  return [
    [`${name}, ${formNames[asked]}`, countText(row.count), row.engine.replaceAll("_", " "),
      ...timeCells(row, row.count)],
    ...row.rivals.map((rival) => [`${name}, CPU`, countText(row.count), rival.name, ...timeCells(rival, row.count)]),
  ];
}

class BenchTab {
  private readonly thread = new Thread();
  private readonly clock: Clock | undefined;
  private readonly controls = makeControls();
  private readonly progress = element("progress",
    { max: 1, value: 0, "aria-label": "Progress of the bench", hidden: true });
  private readonly status = element("p", { class: "note", role: "status", id: "bench-status" });
  private readonly figure = element("figure", { id: "bench-chart" });
  private readonly rows = element("div", { id: "bench-rows" });
  private readonly start = button("Run", "primary", () => void this.run());
  private readonly cancel = button("Cancel", "", () => this.stop());
  private readonly export = button("Save JSON", "", () => save("lanesort-bench.json", this.file(), "application/json"));
  private readonly resized = new ResizeObserver(() => this.draw());
  private readonly files: { panel: HTMLElement; destroy(): void };
  private points: Point[] = [];
  private stopping: AbortController | undefined;
  private leftover: Promise<void> = Promise.resolve();  // what a cancelled run still has on the GPU, which cannot be called back

  constructor(private readonly root: HTMLElement, private readonly gpu: Gpu) {
    this.clock = isSoftware(gpu.adapter) ? undefined : new Clock(gpu.device);
    this.start.id = "bench-run";
    this.cancel.disabled = this.export.disabled = true;
    this.files = makeFilePanel(gpu);
    this.controls.form.addEventListener("submit", (event) => event.preventDefault());
    root.append(
      element("section", { class: "card" },
        element("h2", {}, "Throughput"),
        element("p", { class: "lead" },
          "Each sort is read back and proved first: in order, every item once, equal keys in their order of input. What fails is named and never timed."),
        element("p", {}, element("strong", {}, nameOf(gpu.adapter)), " ",
          this.clock === undefined ? element("span", { class: "badge warn" }, "software") : badge(true,
          this.clock.name === "device" ? "GPU timestamps" : "submit to done")),
        element("p", { class: this.clock === undefined ? "note warn" : "note", id: "bench-note" },
          clockNote(this.clock)),
        this.controls.form,
        element("div", { class: "row" }, this.start, this.cancel, this.export),
        this.progress, this.status, this.figure, this.rows),
      this.files.panel);
    this.resized.observe(this.figure);
  }

  private async run(): Promise<void> {
    const tasks = this.controls.tasks();
    if (tasks.length === 0) return this.say("Choose at least one sort and one form.");
    this.points = [];
    this.draw();
    this.stopping = new AbortController();
    const { signal } = this.stopping;
    this.lock(true);
    this.say("Waiting for the GPU…");
    await this.leftover;
    const stopped = new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    stopped.catch(() => {});
    try {
      for (const [i, task] of tasks.entries()) {
        this.progress.value = i / tasks.length;
        this.say(`${i + 1} of ${tasks.length}: ${operationNames[task.operation]}, ${countText(task.spec.count)} items`);
        const taken = this.take(task, signal);
        this.leftover = taken.catch(() => {});
        await Promise.race([taken, stopped]);
      }
      const wrong = this.points.filter(({ row }) => !row.verified).length;
      this.say(`Done: ${this.points.length - wrong} of ${this.points.length} sorts verified${wrong === 0 ? "." : "; the table says what is wrong with the others."}`);
    } catch (error) {
      this.say(signal.aborted ? `Cancelled: ${this.points.length} sorts were done.` : `Stopped: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      this.lock(false);
    }
  }

  private async take(task: Task, signal: AbortSignal): Promise<void> {
    const bench: Bench = { device: this.gpu.device, thread: this.thread, clock: this.clock, seconds: secondsOfRow };
    const points = await measure(bench, task, signal);
    signal.throwIfAborted();
    this.points.push(...points);
    this.draw();
  }

  private stop(): void {
    this.stopping?.abort();
    this.thread.stop();
  }

  private say(words: string): void {
    this.status.textContent = words;
  }

  private lock(running: boolean): void {
    this.controls.lock(running);
    this.start.disabled = running;
    this.cancel.disabled = !running;
    this.export.disabled = running || this.points.length === 0;
    this.progress.hidden = !running;
  }

  private file(): string {
    const notes = [clockNote(this.clock),
      "Keys are made by the page’s own generator, seed 7. Sorts of a sample run back to back: small inputs stay in caches."];
    const { device, adapter } = this.gpu;
    return resultsFile(this.points,
      { device: nameOf(adapter), clock: this.clock?.name ?? "host", subgroups: device.features.has("subgroups") },
      notes);
  }

  private draw(): void {
    const series = seriesOf(this.points);
    const width = Math.floor(this.figure.clientWidth);
    if (series.length === 0 || width === 0) this.figure.replaceChildren();
    else this.figure.replaceChildren(legend(series), chart(series, width));
    const head = ["sort", "items", "engine", "median", "quartiles", "items/s", "proof"];
    this.rows.replaceChildren(...(this.points.length === 0 ? [] : [table(head, this.points.flatMap(pointRows),
      "Every row of the bench")]));
  }

  show(): void {
    this.draw();
  }

  destroy(): void {
    this.stop();
    this.resized.disconnect();
    this.clock?.destroy();
    this.files.destroy();
    this.root.replaceChildren();
  }
}

export const mountBench: MountTab = async (root, gpu) => {
  const tab = new BenchTab(root, gpu);
  return { show: () => tab.show(), hide: () => {}, destroy: () => tab.destroy() };
};
