// The page's end of the other thread. `stop` ends it in the midst of a job; the next question starts another.
import { LanesortError } from "../../src/index.ts";
import type { Answer, Asked, JobName } from "./jobs.ts";
import type { Question, Reply } from "./worker.ts";

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

export class Thread {
  private worker: Worker | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private questions = 0;

  ask<Name extends JobName>(name: Name, asked: Asked<Name>, give: Transferable[] = []): Promise<Answer<Name>> {
    const id = this.questions++;
    return new Promise<unknown>((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      const question: Question = { id, name, asked };
      (this.worker ??= this.start()).postMessage(question, give);
    }) as Promise<Answer<Name>>;
  }

  stop(reason: unknown = new DOMException("stopped", "AbortError")): void {
    this.worker?.terminate();
    this.worker = undefined;
    for (const { reject } of this.waiting.values()) reject(reason);
    this.waiting.clear();
  }

  private start(): Worker {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "lanesort" });
    worker.onmessage = ({ data }: MessageEvent<Reply>) => {
      const waiting = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      if ("answer" in data) waiting?.resolve(data.answer);
      else waiting?.reject("parts" in data ? new LanesortError(data.parts) : new Error(data.failure));
    };
    worker.onerror = (event) => this.stop(new Error(`the page's other thread failed: ${event.message}`));
    return worker;
  }
}
