// The drawing's steps: a number, a symbol or an operation on steps before it. They are computed here
// for any state, so that a predicted motion can be drawn as well.

import {operations} from "./operations.js"; // made from src/expr/ops.def

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
