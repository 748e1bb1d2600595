// Runs a check by its name in a page.
import { checks, longChecks } from "../checks.ts";

declare global {
  var runCheck: (name: string) => Promise<void>;
}

globalThis.runCheck = async (name) => {
  const check = { ...checks, ...longChecks }[name];
  if (check === undefined) throw new Error(`no check is named ${name}`);
  await check(navigator.gpu);
};
