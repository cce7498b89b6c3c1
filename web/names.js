// Names and units of a coordinate, its velocity and acceleration.

// Names of a coordinate's position, velocity and acceleration: a state is the velocity of one.
export const motionName = (c, order) => (c.state ? [`integral(${c.name})`, c.name, `dot(${c.name})`] : [c.name, `dot(${c.name})`, `ddot(${c.name})`])[order];

// Their units, "" where the model gives none. The angle of a body is in radians.
export function motionUnit(c, order) {
  const unit = c.unit || (c.name.endsWith(".angle") ? "rad" : "");
  const seconds = unit ? order - (c.state ? 1 : 0) : 0;
  return seconds <= 0 ? unit : `${/[ /*]/.test(unit) ? `(${unit})` : unit}/s${seconds > 1 ? "^2" : ""}`;
}

// "s" if units of the model contain seconds: the language has no unit of time.
export function timeUnit(data) {
  const {params, coordinates, costs, outputs} = data.model;
  const units = [...params, ...coordinates, ...costs, ...outputs].map((x) => x.unit ?? "");
  return units.some((u) => /(^|[ /*(])(s|N|J|W|Pa|Hz)($|[ /*^)])/.test(u)) ? "s" : "";
}
