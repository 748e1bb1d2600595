// Every error of the package: what was wrong, the value, the limit it met and what to do about it.

export interface ErrorParts {
  cause: string;
  value?: unknown;
  limit?: unknown;
  remedy: string;
}

export class LanesortError extends Error {
  override readonly name = "LanesortError";
  override readonly cause: string;
  readonly value: unknown;
  readonly limit: unknown;
  readonly remedy: string;

  constructor({ cause, value, limit, remedy }: ErrorParts) {
    const numbers = [value === undefined ? "" : `is ${String(value)}`, limit === undefined ? "" : `limit ${String(limit)}`];
    const told = numbers.filter((part) => part !== "").join(", ");
    super(`${cause}${told === "" ? "" : ` (${told})`}: ${remedy}`);
    this.cause = cause;
    this.value = value;
    this.limit = limit;
    this.remedy = remedy;
  }
}

export function refuse(parts: ErrorParts): never {
  throw new LanesortError(parts);
}
