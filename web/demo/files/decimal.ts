// Decimal numbers of any length, compared exactly, as the command line does.

export interface Decimal {
  rank: 0 | 1 | 2 | 3;  // -inf, finite, inf, NaN
  negative: boolean;
  digits: string;    // of the number 0.digits times ten to the exponent; none: zero
  exponent: number;
}

export function decimalOf(text: string): Decimal {
  const negative = text.startsWith("-");
  const rest = text.replace(/^[+-]/, "").toLowerCase();
  if (rest.startsWith("n")) return { rank: 3, negative: false, digits: "", exponent: 0 };
  if (rest.startsWith("i")) return { rank: negative ? 0 : 2, negative, digits: "", exponent: 0 };
  const [mantissa = "", exponent = "0"] = rest.split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const all = whole + fraction;
  const digits = all.replace(/^0+/, "");
  return { rank: 1, negative, digits: digits.replace(/0+$/, ""),
    exponent: digits === "" ? 0 : Number(exponent) + whole.length - (all.length - digits.length) };
}

export function compareDecimals(a: Decimal, b: Decimal): number {
  if (a.rank !== b.rank) return a.rank - b.rank;
  const [signA, signB] = [a, b].map(({ digits, negative }) => (digits === "" ? 0 : negative ? -1 : 1)) as [number,
    number];
  if (signA !== signB) return signA - signB;
  if (a.exponent !== b.exponent) return signA * (a.exponent - b.exponent);
  return signA * (a.digits < b.digits ? -1 : a.digits > b.digits ? 1 : 0);
}
