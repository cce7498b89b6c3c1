solver {rtol = 1e-4, atol = 1e-6, integrator = "dopri5", formulation = "penalty"}
local k = param("k", 1, {lower = 0, upper = 5})
local q = coordinate("q", {start = 0.2}) kinetic(0.5 * (1 + q^2) * dot(q)^2)
potential(k * cosh(q)) dissipation(0.1 * dot(q)^2)
constraint("c", q - 0.2 * cos(t)) cost("u", {final = exp(q) / (1 + q^2)}) horizon(0, 1)
