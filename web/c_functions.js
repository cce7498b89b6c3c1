// The functions that the C expressions in src/expr/ops.def call. Those that Math has under the same
// name are found there; every other one has a line here.

// The error function, by a series without cancellation: all its terms have the sign of a.
function erf(a) {
  if (!(Math.abs(a) < 6)) return Math.sign(a);
  let term = 2 / Math.sqrt(Math.PI) * Math.exp(-a * a) * a;
  let sum = 0;
  for (let n = 3; sum !== sum + term; n += 2) {
    sum += term;
    term *= 2 * a * a / n;
  }
  return sum;
}

export const c = Object.assign(Object.create(Math), {
  erf,
  fabs: Math.abs,
  sal_power: Math.pow,
});
