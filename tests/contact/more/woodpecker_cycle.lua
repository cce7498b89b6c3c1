model "woodpecker_cycle"
local mu = param("mu", 0.3)
local e = param("e", 0.5)
local c = param("c", 0.0056)
local g = param("g", 9.81)
local pM0 = param("pM0", 0.013)
local dy0 = param("dy0", -0.058)
local dpM0 = param("dpM0", -8)
local dpS0 = param("dpS0", -5.5)
local mM, JM, mS, JS = 0.0003, 5e-9, 0.0045, 7e-7
local r0, rM, hM = 0.0025, 0.0031, 0.0058
local lM, lG, hS, lS = 0.010, 0.015, 0.02, 0.0201

local y = coordinate("y", {speed = dy0})
local pM, pS = coordinate("phiM", {start = pM0, speed = dpM0}), coordinate("phiS", {speed = dpS0})
mass(y, mM) mass(pM, JM) mass(pS, JS) mass(y + lM * pM + lG * pS, mS)
potential((mM + mS) * g * y + mS * g * (lM * pM + lG * pS) + 0.5 * c * (pM - pS)^2)
contact {gap = lM + lG - lS - r0 - hS * pS, slip = dot(y) + lM * dot(pM) + (lG - lS) * dot(pS), friction = mu,
         restitution = e, rest = true, name = "beak"}
contact {gap = rM - r0 + hM * pM, slip = dot(y) + rM * dot(pM), friction = mu, name = "lower"}
contact {gap = rM - r0 - hM * pM, slip = dot(y) + rM * dot(pM), friction = mu, name = "upper"}
event("section", {when = pS, direction = "falling", stop = 1})
periodic {[pM0] = pM, [dy0] = dot(y), [dpM0] = dot(pM), [dpS0] = dot(pS)}
horizon(0, 0.3)
