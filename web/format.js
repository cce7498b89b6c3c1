// Numbers and counts as people read them.

const nice = (text) => text.replace(/-/g, "\u2212");

// A number with that many digits, without trailing zeros.
export function formatNumber(value, digits = 6) {
  if (value === null || value === undefined || Number.isNaN(value)) return "\u2013";
  if (!Number.isFinite(value)) return value > 0 ? "\u221e" : "\u2212\u221e";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) {
    const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
    const short = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
    return nice(`${short}e${exponent.replace("+", "")}`);
  }
  return nice(String(Number(value.toPrecision(digits))));
}

export const formatPercent = (value) => {
  const text = formatNumber(Math.abs(value) >= 1000 ? Math.round(value) : value, 3);
  return `${text}\u00a0%`;
};

export const signed = (value, digits) => (value > 0 ? "+" : "") + formatNumber(value, digits);

export const plural = (count, word, many = `${word}s`) => `${count} ${count === 1 ? word : many}`;

export const withUnit = (name, unit) => (unit ? `${name} [${unit}]` : name);

// Steps of 1, 2 or 5 of which about `count` fit into the range.
export function niceStep(range, count) {
  const raw = range / Math.max(1, count);
  if (!(raw > 0) || !Number.isFinite(raw)) return 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const digit = raw / power;
  return (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10) * power;
}
