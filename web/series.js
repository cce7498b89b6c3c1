// The rows of the motion: which of them belong to a time, and values between them. At an event there
// are two rows of one time, before and after; a time means the one after.

// The last row whose time is not after t.
export function rowBefore(times, t) {
  let low = 0, high = times.length - 1;
  if (!(t >= times[0])) return 0;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}

// {row, part}: part of the way from that row to the next.
export function placeAt(times, t) {
  const row = rowBefore(times, t);
  if (row + 1 >= times.length) return {row, part: 0};
  const step = times[row + 1] - times[row];
  return {row, part: step > 0 ? Math.min(1, Math.max(0, (t - times[row]) / step)) : 0};
}

export function valueAt(column, {row, part}) {
  return part === 0 ? column[row] : column[row] + part * (column[row + 1] - column[row]);
}

// The mode at a row: modes are [first row, text], ascending.
export function modeAt(modes, row) {
  let text = null;
  for (const [first, name] of modes) {
    if (first > row) break;
    text = name;
  }
  return text;
}

// The names in "a + b", one per group: names may contain anything, so the text is compared group by group.
export function activeModes(text, modes) {
  if (text === null) return [];
  const groups = [...new Set(modes.map((m) => m.group))];
  const active = [];
  let rest = text;
  for (const group of groups) {
    let best = -1;
    modes.forEach((mode, i) => {
      const fits = mode.group === group && rest.startsWith(mode.name) &&
        (rest.length === mode.name.length || rest.startsWith(" + ", mode.name.length));
      if (fits && (best < 0 || mode.name.length > modes[best].name.length)) best = i;
    });
    if (best < 0) return active;
    active.push(best);
    rest = rest.slice(modes[best].name.length + 3);
  }
  return active;
}

// Whether a shape with these modes is there: in each group they belong to, one of them is active.
export function isActive(wanted, active, modes) {
  if (!wanted) return true;
  const groups = new Set(wanted.map((i) => modes[i].group));
  return [...groups].every((group) =>
    wanted.some((i) => modes[i].group === group && active.includes(i)));
}

// By how much the finite values of a column differ.
export function rangeOf(column) {
  let low = Infinity, high = -Infinity;
  for (const v of column) if (Number.isFinite(v)) low = Math.min(low, v), high = Math.max(high, v);
  return high > low ? high - low : 0;
}
