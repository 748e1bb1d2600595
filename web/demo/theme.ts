// Dark or light: the system's wish, until the reader asks for the other.
type Theme = "dark" | "light";

const key = "lanesort-theme";
const system = matchMedia("(prefers-color-scheme: dark)");

function kept(): Theme | undefined {
  try {
    const value = localStorage.getItem(key);
    return value === "dark" || value === "light" ? value : undefined;
  } catch {
    return undefined;  // storage is forbidden here: the choice lasts as long as the page
  }
}

function keep(theme: Theme | undefined): void {
  try {
    if (theme === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, theme);
  } catch {
    // As above.
  }
}

export function startTheme(button: HTMLButtonElement): void {
  let chosen = kept();
  const shown = (): Theme => chosen ?? (system.matches ? "dark" : "light");
  const apply = (): void => {
    if (chosen === undefined) delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = chosen;
    button.setAttribute("aria-pressed", String(shown() === "dark"));
    button.title = shown() === "dark" ? "Use light colours" : "Use dark colours";
  };
  button.addEventListener("click", () => {
    const next: Theme = shown() === "dark" ? "light" : "dark";
    const bySystem: Theme = system.matches ? "dark" : "light";
    chosen = next === bySystem ? undefined : next;  // back with the system, whatever it asks for later
    keep(chosen);
    apply();
  });
  system.addEventListener("change", apply);
  apply();
}
