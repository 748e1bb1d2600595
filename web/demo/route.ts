// The address's hash: #viewer?what=ever, #bench, #doctor. What follows the question mark is the tab's own.

export const tabNames = ["viewer", "bench", "doctor"] as const;
export type TabName = (typeof tabNames)[number];

export function tabOf(hash: string): TabName {
  const name = hash.replace(/^#/, "").split("?")[0];
  return tabNames.find((known) => known === name) ?? "viewer";
}
