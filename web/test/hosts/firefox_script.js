// What a reader would do, by the page's own script, in a browser that nothing drives: bench, files, viewer, a loss. Posts
// what it saw.
const complaints = [];
addEventListener("error", ({ message }) => void complaints.push(message));
addEventListener("unhandledrejection", ({ reason }) => void complaints.push(String(reason)));
const find = (selector) => document.querySelector(selector);
const words = (selector) => find(selector)?.textContent ?? "";

async function until(what, holds) {
  for (const begin = Date.now(); !holds();) {
    if (Date.now() - begin > 120_000) throw new Error(`waited in vain for ${what}; the page says: ${words("main").slice(0, 300)}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

async function bench() {
  await until("the bench", () => find("#bench-run"));
  for (const end of ["from", "to"]) find(`[name=${end}]`).value = "256";
  find("#bench-run").click();
  await until("the bench's end", () => /^(Done|Stopped)/.test(words("#bench-status")));
  return words("#bench-status");
}

async function sortFile() {
  const transfer = new DataTransfer();
  transfer.items.add(new File(["[3, 9007199254740993, 9007199254740992, 0.5]"], "n.json"));
  find("#drop").dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
  await until("the file", () => find("#file-outcome .good, #file-outcome .bad"));
  return words("#file-outcome");
}

async function view() {
  location.hash = "#viewer?scene=synthetic&n=200&sorter=unsorted&turn=0";
  await until("the viewer", () => find("#panel-viewer canvas"));
  await until("its count", () => /200 of 200/.test(words("#panel-viewer")));
  return "drawn";
}

async function lose() {
  globalThis.lanesort.device.destroy();
  await until("the loss", () => find("#panel-viewer [role=alert]"));
  const said = words("#panel-viewer [role=alert]");
  find("#panel-viewer [role=alert] button").click();
  await until("the viewer again", () => find("#panel-viewer canvas"));
  return said;
}

addEventListener("load", async () => {
  const seen = { browser: navigator.userAgent };
  try {
    Object.assign(seen, { bench: await bench(), file: await sortFile(), viewer: await view(), loss: await lose() });
  } catch (error) {
    complaints.push(String(error));
  }
  await fetch("said", { method: "POST", body: JSON.stringify({ ...seen, complaints }) });
});
