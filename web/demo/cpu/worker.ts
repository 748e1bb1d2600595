// The thread's end: one job after another, errors sent as their parts.
import { LanesortError, type ErrorParts } from "../../src/errors.ts";
import { jobs, type JobName } from "./jobs.ts";

export interface Question {
  id: number;
  name: JobName;
  asked: unknown;
}
export type Reply = { id: number; answer: unknown } | { id: number; parts: ErrorParts } | { id: number; failure: string };

const thread = globalThis as unknown as { onmessage: (event: MessageEvent<Question>) => void; postMessage(reply: Reply): void };

thread.onmessage = ({ data: { id, name, asked } }) => {
  try {
    thread.postMessage({ id, answer: (jobs[name] as (asked: unknown) => unknown)(asked) });
  } catch (error) {
    if (error instanceof LanesortError) {
      const { cause, value, limit, remedy } = error;
      thread.postMessage({ id, parts: { cause, value, limit, remedy } });
    } else thread.postMessage({ id, failure: error instanceof Error ? error.message : String(error) });
  }
};
