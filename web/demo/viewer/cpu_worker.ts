// Sorts beside the page, so that input and frames go on.
import { runJob, type CpuJob } from "./cpu_sort.ts";

const worker = self as unknown as { onmessage: (event: MessageEvent<CpuJob>) => void; postMessage(message: unknown, transfer: Transferable[]): void };

worker.onmessage = ({ data }) => {
  const result = runJob(data);
  worker.postMessage(result, [result.ids.buffer]);
};
