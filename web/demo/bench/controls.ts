// What is to be measured: the form of the bench, and the tasks that it says.
import type { Dtype } from "../../src/index.ts";
import { dtypeNames } from "../cpu/format.ts";
import { patternNames, type Pattern } from "../cpu/keys.ts";
import { element } from "../element.ts";
import { countText } from "./chart.ts";
import type { Task } from "./measurement.ts";
import type { FormName } from "./results.ts";
import { formNames, operationNames } from "./series.ts";
import type { WholeSort } from "../rig.ts";

const counts = [8, 10, 12, 14, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25].map((power) => 2 ** power);
const seed = 7;

function choice<T extends string | number>(label: string, name: string, values: readonly T[], chosen: T,
  text: (value: T) => string = String): { field: HTMLElement; value(): string } {
  const select = element("select", { name },
    ...values.map((value) => element("option", { value, selected: value === chosen }, text(value))));
  return { field: element("label", { class: "field" }, label, select), value: () => select.value };
}

function checks<T extends string>(label: string, names: Record<T, string>,
  chosen: readonly T[]): { field: HTMLElement; values(): T[] } {
  const boxes = (Object.keys(names) as T[]).map((name) => ({ name,
    box: element("input", { type: "checkbox", name, checked: chosen.includes(name) }) }));
  const rows = boxes.map(({ name, box }) => element("label", { class: "check" }, box, names[name]));
  return {
    field: element("fieldset", { class: "field" }, element("legend", {}, label),
      element("div", { class: "row" }, ...rows)),
    values: () => boxes.filter(({ box }) => box.checked).map(({ name }) => name),
  };
}

export interface Controls {
  form: HTMLFormElement;
  /** None where something is not chosen that must be. */
  tasks(): Task[];
  /** Makes the form wait. */
  lock(locked: boolean): void;
}

export function makeControls(): Controls {
  const dtype = choice<Dtype>("Key type", "dtype", dtypeNames, "u32");
  const pattern = choice<Pattern>("Pattern", "pattern", patternNames, "uniform");
  const from = choice("From", "from", counts, 2 ** 12, countText);
  const to = choice("To", "to", counts, 2 ** 22, countText);
  const operations = checks<WholeSort>("Sort", operationNames, ["sort", "sortPairs", "argsort"]);
  const forms = checks<FormName>("Forms", formNames, ["tuned"]);
  const rival = checks("Beside it", { rival: "the CPU’s TypedArray.sort" }, ["rival"]);
  const all = element("fieldset", { class: "field" },
    element("div", { class: "form" }, ...[dtype, pattern, from, to].map(({ field }) => field)),
    element("div", { class: "choices" }, ...[operations, forms, rival].map(({ field }) => field)));
  const form = element("form", { id: "bench-form" }, all);
  return {
    form,
    tasks() {
      const [least, most] = [Number(from.value()), Number(to.value())].sort((a, b) => a - b) as [number, number];
      return operations.values().flatMap((operation) => counts.filter((count) => count >= least && count <= most).map((count): Task => ({
        operation, forms: forms.values(), rival: rival.values().length > 0,
        spec: { dtype: dtype.value() as Dtype, pattern: pattern.value() as Pattern, count, seed },
      }))).filter((task) => task.forms.length > 0);
    },
    lock: (locked) => void (all.disabled = locked),
  };
}
