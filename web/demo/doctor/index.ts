// The doctor tab: what is here, what the package would do with it, and whether it does it right.
import { Thread } from "../cpu/thread.ts";
import { button, element, table } from "../element.ts";
import { isSoftware } from "../gpu.ts";
import type { Gpu, MountTab } from "../tab.ts";
import { adapterFacts, features, limitHead, limitRows } from "./facts.ts";
import { planHead, planRows } from "./plans.ts";
import { run, trials, type Verdict } from "./self_test.ts";

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

const textTable = (rows: readonly (readonly string[])[]): string[] => rows.map((row) => `  ${row.filter((cell) => cell !== "").join(" | ")}`);

class DoctorTab {
  private readonly thread = new Thread();
  private readonly verdicts: Verdict[] = [];
  private readonly summary = element("p", { class: "note", role: "status", id: "doctor-summary" }, "Not run yet.");
  private readonly progress = element("progress", { max: 1, value: 0, "aria-label": "Progress of the self-test" });
  private readonly failures = element("div", { id: "doctor-failures" });
  private readonly start = button("Run the self-test", "primary", () => void this.test());
  private readonly stop = button("Stop", "", () => (this.stopping = true));
  private readonly copied = element("span", { role: "status", class: "note" });
  private readonly text = element("pre", { class: "scroll", tabindex: 0, "aria-label": "The report as text" });
  private readonly seed = 1 + Math.floor(Math.random() * 2 ** 31);
  private stopping = false;
  private started = false;
  private shown = false;
  private goOn: () => void = () => {};

  constructor(root: HTMLElement, private readonly gpu: Gpu) {
    const details = element("details", {}, element("summary", {}, "The report as text"), this.text);
    root.append(
      element("section", { class: "card" },
        element("h2", {}, "Self-test"),
        element("p", { class: "lead" },
          "Small sorts of every key type, of keys, pairs and indices, with NaN, zeros of both signs and extremes among them. Each is proved by code that shares nothing with the sorter."),
        this.progress, this.summary, this.failures,
        element("div", { class: "row" }, this.start, this.stop,
          button("Copy the report", "", () => void this.copy(details)), this.copied)),
      element("section", { class: "card" }, element("h2", {}, "This GPU"), table([], adapterFacts(gpu), "This GPU"),
        element("details", {}, element("summary", {}, `${features(gpu).length} features`),
          element("p", { class: "row" }, ...features(gpu).map((name) => element("code", { class: "badge" }, name))))),
      element("section", { class: "card" }, element("h2", {}, "Limits"), table(limitHead, limitRows(gpu), "Limits")),
      element("section", { class: "card" }, element("h2", {}, "Plans"),
        element("p", { class: "lead" }, "What would run on this device. Nothing of it depends on the data."),
          table(planHead, planRows(gpu.device), "Plans")),
      element("section", { class: "card" }, details));
    this.stop.disabled = true;
    this.progress.hidden = true;
    this.write();
  }

  show(): void {
    this.shown = true;
    this.goOn();
    if (this.started) return;
    this.started = true;
    if (isSoftware(this.gpu.adapter)) this.summary.textContent = "A software adapter: the self-test takes minutes, most of them to compile kernels. It runs when you ask for it.";
    else void this.test();
  }

  // The GPU belongs to the tab that is shown.
  hide(): void {
    this.shown = false;
  }

  private async whenShown(): Promise<void> {
    if (!this.shown) await new Promise<void>((resolve) => (this.goOn = resolve));
  }

  private async test(): Promise<void> {
    this.lock(true);
    this.stopping = false;
    this.summary.className = "note";
    this.verdicts.length = 0;
    this.failures.replaceChildren();
    const all = trials();
    try {
      for (const [i, trial] of all.entries()) {
        this.summary.textContent = `${i} of ${all.length} done, next: ${trial.name}`;
        this.progress.value = i / all.length;
        await this.whenShown();
        if (this.stopping) break;
        this.add(await run(this.gpu.device, this.thread, trial, this.seed + i));
      }
      this.conclude(all.length);
    } catch (error) {
      this.summary.className = "note bad";
      this.summary.textContent = `The self-test stopped: ${error instanceof Error ? error.message : String(error)}. Reload the page to open a new device; if it stops again, update the GPU’s driver.`;
    }
    this.lock(false);
    this.write();
  }

  private lock(running: boolean): void {
    this.start.disabled = running;
    this.stop.disabled = !running;
    this.progress.hidden = !running;
  }

  private add(verdict: Verdict): void {
    this.verdicts.push(verdict);
    if (verdict.fault === undefined) return;
    this.failures.append(element("p", { class: "note bad" }, element("strong", {}, verdict.trial.name),
      `: ${verdict.fault}. `, element("strong", {}, "To mend it: "), verdict.remedy));
  }

  private conclude(count: number): void {
    const wrong = this.verdicts.filter(({ fault }) => fault !== undefined).length;
    const done = this.verdicts.length;
    this.summary.className = wrong > 0 ? "note bad" : done === count ? "note good" : "note";
    this.summary.textContent = wrong > 0 ? `${wrong} of ${done} sorts failed:` : done === count ? `All ${count} sorts are right.` : `Stopped: the ${done} sorts done of ${count} are right.`;
  }

  private report(): string {
    return [
      ...textTable(adapterFacts(this.gpu)), "", `features: ${features(this.gpu).join(" ")}`, "",
      ...textTable([limitHead, ...limitRows(this.gpu)]), "", ...textTable([planHead, ...planRows(this.gpu.device)]), "",
      `self-test, seed ${this.seed}: ${this.summary.textContent}`,
      ...this.verdicts.map(({ trial, fault, remedy }) => `  ${fault === undefined ? "good" : "WRONG"}  ${trial.name}${fault === undefined ? "" : `: ${fault}. ${remedy}`}`), "",
    ].join("\n");
  }

  private write(): void {
    this.text.textContent = this.report();
  }

  private async copy(details: HTMLDetailsElement): Promise<void> {
    this.write();
    const done = await copyText(this.report());
    this.copied.textContent = done ? "Copied." : "The browser forbids copying here: the text stands below.";
    if (!done) details.open = true;
  }

  destroy(): void {
    this.stopping = true;
    this.goOn();
    this.thread.stop();
  }
}

export const mountDoctor: MountTab = async (root, gpu) => {
  const tab = new DoctorTab(root, gpu);
  return { show: () => tab.show(), hide: () => tab.hide(), destroy: () => tab.destroy() };
};
