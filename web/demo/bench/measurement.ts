// One row: keys made, sorted and proved, and only then timed.
import { LanesortError, type Dtype } from "../../src/index.ts";
import { capabilitiesOf, limitsOf, planFor, requestOf } from "../../src/options.ts";
import type { Bytes } from "../cpu/format.ts";
import type { KeySpec } from "../cpu/keys.ts";
import type { Spread } from "../cpu/statistics.ts";
import type { Thread } from "../cpu/thread.ts";
import { Rig, type WholeSort } from "../rig.ts";
import type { Clock } from "./clock.ts";
import { opOf, timesOf, type FormName, type Point, type RivalRow } from "./results.ts";

export interface Task {
  operation: WholeSort;
  spec: KeySpec;
  forms: FormName[];
  rival: boolean;
}

export interface Bench {
  device: GPUDevice;
  thread: Thread;
  /** None: verify only. */
  clock: Clock | undefined;
  seconds: number;
}

function engineOf(device: GPUDevice, operation: WholeSort, dtype: Dtype, count: number, form: FormName): string {
  const options = { operation, dtype, maxCount: count, inPlace: false, form };
  const plan = planFor(device, requestOf(options), capabilitiesOf(device, true), limitsOf(options));
  return plan.form + (plan.shape.rows === 0 ? ", no subgroups" : "");
}

interface Outcome {
  fault: string | null;
  spread: Spread | null;
  engine: string;
}

async function sortOnce({ device, thread, clock, seconds }: Bench, { operation, spec }: Task, form: FormName,
  keys: Bytes, signal: AbortSignal): Promise<Outcome> {
  const engine = engineOf(device, operation, spec.dtype, spec.count, form);
  const rig = await Rig.create(device, { operation, dtype: spec.dtype, form }, keys);
  try {
    await rig.run();
    const result = await rig.read();
    signal.throwIfAborted();
    const fault = await thread.ask("prove", { result, descending: false }) ?? null;
    return { engine, fault,
      spread: fault === null && clock !== undefined ? await clock.time(rig, seconds, signal) : null };
  } finally {
    rig.destroy();
  }
}

async function outcomeOf(bench: Bench, task: Task, form: FormName, keys: Bytes, signal: AbortSignal): Promise<Outcome> {
  try {
    return await sortOnce(bench, task, form, keys, signal);
  } catch (error) {
    if (!(error instanceof LanesortError)) throw error;
    return { engine: "", fault: `refused: ${error.message}`, spread: null };
  }
}

export async function measure(bench: Bench, task: Task, signal: AbortSignal): Promise<Point[]> {
  const { spec, operation } = task;
  const keys = await bench.thread.ask("make", spec);
  const rivals: RivalRow[] = [];
  if (task.rival) {
    const rival = await bench.thread.ask("race",
      { operation, seconds: bench.seconds, timed: bench.clock !== undefined });
    if (rival !== undefined) {
      const { spread, ...words } = rival;
      rivals.push({ ...words, ...timesOf(spread) });
    }
  }
  const points: Point[] = [];
  for (const asked of task.forms) {
    signal.throwIfAborted();
    const { engine, fault, spread } = await outcomeOf(bench, task, asked, keys, signal);
    points.push({
      operation, asked,
      row: {
        backend: "webgpu", op: opOf[operation], key: spec.dtype, value_bytes: operation === "sort" ? 0 : 4,
          count: spec.count, pattern: spec.pattern,
        order: "asc", form: "src_dst", bits: "all", engine, ...timesOf(spread),
        keys_per_s: spread === null || spread.median_s <= 0 ? null : spec.count / spread.median_s, copy_share: null,
          verified: fault === null, fault,
        rivals: points.length === 0 ? rivals : [],
      },
    });
  }
  return points;
}
