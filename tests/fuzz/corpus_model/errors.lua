local x = coordinate("x")
mass(y, 1) force(x, param("a", nil))
event("e", {when = x, set = {x = 1}})
horizon(1, 0)
