// Runs a check by its name in a page.
import { checks } from "../checks.ts";

declare global {
  var runCheck: (name: string) => Promise<void>;
}

globalThis.runCheck = async (name) => {
  const check = checks[name];
  if (check === undefined) throw new Error(`no check is named ${name}`);
  await check(navigator.gpu);
};
