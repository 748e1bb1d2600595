/** Throws when two arrays differ, and names the first place where they do. */
export function equal(actual: ArrayLike<number | bigint>, expected: ArrayLike<number | bigint>, what: string): void {
  if (actual.length !== expected.length) throw new Error(`${what}: ${actual.length} instead of ${expected.length}`);
  for (let index = 0; index < expected.length; index++) {
    if (!Object.is(actual[index], expected[index])) throw new Error(`${what}[${index}] is ${actual[index]} instead of ${expected[index]}`);
  }
}
