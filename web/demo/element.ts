// Elements of the page, made without markup strings: text stays text.

export type Child = Node | string | undefined;
type Attributes = Record<string, string | boolean | number | undefined>;

function fill(made: Element, attributes: Attributes, children: readonly Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    made.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child !== undefined) made.append(child);
}

/** element("a", { href: "#bench" }, "Bench") */
export function element<Name extends keyof HTMLElementTagNameMap>(name: Name, attributes: Attributes = {},
  ...children: Child[]): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  fill(made, attributes, children);
  return made;
}

export function drawing<Name extends keyof SVGElementTagNameMap>(name: Name, attributes: Attributes = {},
  ...children: Child[]): SVGElementTagNameMap[Name] {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  fill(made, attributes, children);
  return made;
}

export function button(label: string, kind: string, press: () => void): HTMLButtonElement {
  const made = element("button", { type: "button", class: `button ${kind}`.trim() }, label);
  made.addEventListener("click", press);
  return made;
}

const longCell = 36;  // characters: such a cell breaks its words, others are one line

/** Rows of cells under a head, where there is one; the first cell of a row is its head. */
export function table(head: readonly string[], rows: readonly (readonly Child[])[], caption: string): HTMLDivElement {
  const cells = (row: readonly Child[]): HTMLElement[] => row.map((cell, i) => {
    if (i === 0) return element("th", { scope: "row" }, cell);
    return element("td", typeof cell === "string" && cell.length > longCell ? { class: "long" } : {}, cell);
  });
  const made = element("table", head.length === 0 ? { class: "facts" } : {},
    element("caption", { class: "visually-hidden" }, caption),
    head.length === 0 ? undefined : element("thead", {},
      element("tr", {}, ...head.map((name) => element("th", { scope: "col" }, name)))),
    element("tbody", {}, ...rows.map((row) => element("tr", {}, ...cells(row)))));
  return element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption }, made);
}

/** A file of the bytes or the text, handed to the reader. */
export function save(name: string, content: BlobPart, type: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
