// The drawing's steps: a number, a symbol or an operation on steps before it. They are computed here
// for any state, so that a predicted motion can be drawn as well.

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

const operations = {
  NEG: (a) => -a, ADD: (a, b) => a + b, SUB: (a, b) => a - b, MUL: (a, b) => a * b,
  DIV: (a, b) => a / b, POW: (a, b) => a ** b, SIN: Math.sin, COS: Math.cos, TAN: Math.tan,
  ASIN: Math.asin, ACOS: Math.acos, ATAN: Math.atan, ATAN2: Math.atan2, SINH: Math.sinh,
  COSH: Math.cosh, TANH: Math.tanh, ERF: erf, EXP: Math.exp, LOG: Math.log, SQRT: Math.sqrt,
  HYPOT: Math.hypot, ABS: Math.abs, SIGN: Math.sign, MIN: Math.min, MAX: Math.max,
};

// A function of the state {t, q, v, c, p} that fills in and returns the values of all steps.
export function compileSteps(steps) {
  const values = new Float64Array(steps.length);
  const plan = steps.map((step) => {
    if (typeof step === "number" || step === null) return {number: step ?? NaN};
    const [head, a, b] = step;
    if (head === "t") return {time: true};
    return operations[head] ? {operation: operations[head], a, b} : {symbol: head, index: a};
  });
  return (state) => {
    plan.forEach((step, i) => {
      if (step.operation) {
        values[i] = step.b === undefined ? step.operation(values[step.a])
          : step.operation(values[step.a], values[step.b]);
      } else if (step.symbol) values[i] = state[step.symbol][step.index];
      else values[i] = step.time ? state.t : step.number;
    });
    return values;
  };
}
