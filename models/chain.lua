-- A chain of point masses and rods, pinned at one end, falls from the side onto the floor. Every mass
-- may hit it; with --set hits=last only the free end does. --set links=50 divides it more finely.
model "chain"

local n = setting("links", 10)
local hits = setting("hits", "all")
local L  = param("L", 2.0, {unit = "m", doc = "length of the chain"})
local M  = param("M", 1.0, {unit = "kg", doc = "mass of the chain"})
local g  = param("g", 9.81, {unit = "m/s^2"})
local h  = param("h", 1.4, {unit = "m", doc = "height of the pin"})
local a0 = param("a0", 0.3, {unit = "rad", doc = "by which it slopes at the start"})
local e  = param("e", 0.5, {doc = "restitution"})

gravity(0, -g)
local l = L / n
local last = ground_point(0, h)
for i = 1, n do
  local P = point("P" .. i, {x = i * l * cos(a0), y = h - i * l * sin(a0)})
  mass(P, M / n)
  rod {last, P, length = l, name = "link " .. i}
  if i == n or hits == "all" then
    event("hit " .. i, {when = P.y, direction = "falling", restitution = e,
                        charge = {blow = impulse("hit " .. i)}})
  end
  last = P
end

cost("blow", {unit = "N s", doc = "all the floor received"})
cost("pull", {integral = multiplier("link 1")^2})
cost("tip",  {final = last.x, unit = "m"})
horizon(0, 0.8)

draw.line {{-0.3, 0}, {2.2, 0}, style = "ground"}
