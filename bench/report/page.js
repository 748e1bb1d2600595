'use strict';
// Speed beside the baseline that was picked: its time over each one's.
const baseline = document.getElementById('baseline');
if (baseline) {
  baseline.addEventListener('change', () => {
    for (const table of document.querySelectorAll('table.ratios')) {
      const column = [...table.tHead.rows[0].cells].findIndex((cell) => cell.textContent === baseline.value);
      for (const row of table.tBodies[0].rows) {
        const base = column < 0 ? NaN : Number(row.cells[column].dataset.t);
        for (const cell of row.cells) {
          if (!cell.dataset.t) continue;
          const ratio = base / Number(cell.dataset.t);
          cell.textContent = Number.isFinite(ratio) ? `${Number(ratio.toPrecision(3))}x` : '';
        }
      }
    }
  });
}

// A cell that a spreadsheet would take for a formula gets an apostrophe; numbers stay numbers.
function csvCell(text) {
  if (/^[=+\-@\t\r]/.test(text) && !Number.isFinite(Number(text))) text = `'${text}`;
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

document.getElementById('copy').addEventListener('click', async () => {
  const rows = document.getElementById('all').rows;
  const csv = [...rows].map((row) => [...row.cells].map((cell) => csvCell(cell.textContent)).join(',')).join('\n');
  let done = 'copied';
  try {
    await navigator.clipboard.writeText(csv);
  } catch {
    const area = document.body.appendChild(document.createElement('textarea'));
    area.value = csv;
    area.select();
    if (!document.execCommand('copy')) done = 'the browser refused; open the lines and copy them by hand';
    area.remove();
  }
  document.getElementById('copied').textContent = done;
});
