// What a panel shows in place of a tab.
import { button, element, table } from "./element.ts";
import type { Trouble } from "./gpu.ts";

/** What there is to say about a browser without a device. */
export function browserFacts(): [string, string][] {
  return [
    ["lanesort", `${LANESORT_VERSION} (${LANESORT_COMMIT.replace(/^(.{10})[^-]*/, "$1")})`],
    ["browser", navigator.userAgent],
    ["navigator.gpu", (navigator as Navigator & { gpu?: GPU }).gpu === undefined ? "missing" : "there"],
    ["secure page", globalThis.isSecureContext ? "yes" : "no"],
    ["cross-origin isolated",
      globalThis.crossOriginIsolated ? "yes: finer clocks" : "no: the browser’s clock is coarse"],
    ["processors", String(navigator.hardwareConcurrency)],
  ];
}

export function showTrouble(panel: HTMLElement, trouble: Trouble, withFacts: boolean, again: () => void): void {
  const made = element("div", { class: "trouble card", role: "alert" },
    element("h2", {}, trouble.title),
    element("p", {}, trouble.cause),
    element("h3", {}, "What helps"),
    element("ul", {}, ...trouble.remedies.map((remedy) => element("li", {}, remedy))),
    trouble.again === undefined ? undefined : button(trouble.again, "primary", again));
  panel.replaceChildren(made,
    ...(withFacts ? [element("div", { class: "card" }, element("h2", {}, "This browser"),
    table([], browserFacts(), "This browser"))] : []));
}

export function showWaiting(panel: HTMLElement): void {
  panel.replaceChildren(element("p", { class: "waiting", role: "status" },
    element("span", { class: "spinner", "aria-hidden": "true" }), "Opening the GPU…"));
}
