/* The same model in other words: Lua that is put before a script and gives the words of the model
 * language another meaning. It stands on the script's first line, so lines keep their numbers, and
 * numbers that a disguise changes (times of events) are known. */
#ifndef DISGUISES_H
#define DISGUISES_H

/* Copies a table of options and changes some of them: with(options, {name = factor}). */
#define DISGUISE_TOOLS                                                                             \
    "local function copy_(o) local c = {} for k, v in pairs(o or {}) do c[k] = v end return c "    \
    "end "                                                                                         \
    "local function with_(o, f) local c = copy_(o) for k, v in pairs(f) do "                       \
    "if c[k] then c[k] = c[k] * v end end return c end "

/* Time begins later by shift_. */
#define DISGUISE_SHIFT                                                                             \
    "local t_, horizon_ = t, horizon local t = t_ - shift_ "                                       \
    "local function horizon(a, b) horizon_(a + shift_, b + shift_) end "

/* A second is scale_ units of time. Energies and forces stay what they are, so masses grow with
 * the square of it. */
#define DISGUISE_SCALE                                                                             \
    DISGUISE_TOOLS                                                                                 \
    "local S_, S2_ = scale_, scale_^2 "                                                            \
    "local t_, dot_, ddot_, impulse_ = t, dot, ddot, impulse local t = t_ / S_ local rate_ = {} "  \
    "local function dot(e) local r = dot_(e) local d = r * S_ "                                    \
    "if type(d) ~= 'number' then rate_[d] = r end return d end "                                   \
    "local function ddot(e) return ddot_(e) * S2_ end "                                            \
    "local function impulse(n) return impulse_(n) / S_ end "                                       \
    "local function slow_(o) local c = with_(o, {spin = 1 / S_}) "                                 \
    "if type(c.speed) == 'table' then local s = c.speed "                                          \
    "c.speed = {s[1] and s[1] / S_, s[2] and s[2] / S_} "                                          \
    "elseif c.speed then c.speed = c.speed / S_ end return c end "                                 \
    "local coordinate_, point_, body_ = coordinate, point, body "                                  \
    "local function coordinate(n, o) return coordinate_(n, slow_(o)) end "                         \
    "local function point(n, o) return point_(n, slow_(o)) end "                                   \
    "local function body(n, o) "                                                                   \
    "return body_(n, with_(slow_(o), {mass = S2_, inertia = S2_})) end "                           \
    "local mass_, bar_, gravity_ = mass, bar, gravity "                                            \
    "local function mass(u, m, o) mass_(u, m * S2_, o) end "                                       \
    "local function bar(o) return bar_(with_(o, {mass = S2_})) end "                               \
    "local function gravity(x, y, o) gravity_(x / S2_, y / S2_, o) end "                           \
    "local rolling_ = rolling "                                                                    \
    "local function rolling(n, e, o) rolling_(n, e / S_, o) end "                                  \
    "local dissipation_, damper_, torsion_spring_ = dissipation, damper, torsion_spring "          \
    "local function dissipation(D, o) dissipation_(D / S_, o) end "                                \
    "local function damper(o) return damper_(with_(o, {damping = S_})) end "                       \
    "local function torsion_spring(o) return torsion_spring_(with_(o, {damping = S_})) end "       \
    "local event_, contact_, cost_ = event, contact, cost "                                        \
    "local function event(n, o) local c = copy_(o) if o.set then c.set = {} "                      \
    "for k, v in pairs(o.set) do if rate_[k] then c.set[rate_[k]] = v / S_ else c.set[k] = v end " \
    "end end return event_(n, c) end "                                                             \
    "local function contact(o) return contact_(with_(o, {settle = 1 / S_, slip = 1 / S_})) end "   \
    "local function cost(n, o) return cost_(n, with_(o, {integral = 1 / S_})) end "                \
    "local control_ = control "                                                                    \
    "local function control(n, o) return control_(n, with_(o, {duration = S_})) end "              \
    "local horizon_, solver_ = horizon, solver "                                                   \
    "local function horizon(a, b) horizon_(a * S_, b * S_) end "                                   \
    "local function solver(o) "                                                                    \
    "solver_(with_(o, {max_step = S_, first_step = S_, omega = 1 / S_})) end "

/* A kilogram is scale_ units of mass: forces and energies grow with it. */
#define DISGUISE_MASS                                                                              \
    DISGUISE_TOOLS                                                                                 \
    "local M_ = scale_ "                                                                           \
    "local kinetic_, potential_, dissipation_ = kinetic, potential, dissipation "                  \
    "local function kinetic(T, o) kinetic_(T * M_, o) end "                                        \
    "local function potential(U, o) potential_(U * M_, o) end "                                    \
    "local function dissipation(D, o) dissipation_(D * M_, o) end "                                \
    "local force_, mass_, body_, bar_ = force, mass, body, bar "                                   \
    "local function force(u, x, y, o) if y == nil or type(y) == 'table' then "                     \
    "force_(u, x * M_, y) else force_(u, x * M_, y * M_, o) end end "                              \
    "local function mass(u, m, o) mass_(u, m * M_, o) end "                                        \
    "local function body(n, o) return body_(n, with_(o, {mass = M_, inertia = M_})) end "          \
    "local function bar(o) return bar_(with_(o, {mass = M_})) end "                                \
    "local spring_, damper_, torsion_spring_, motor_ = spring, damper, torsion_spring, motor "     \
    "local function spring(o) return spring_(with_(o, {stiffness = M_})) end "                     \
    "local function damper(o) return damper_(with_(o, {damping = M_})) end "                       \
    "local function torsion_spring(o) "                                                            \
    "return torsion_spring_(with_(o, {stiffness = M_, damping = M_})) end "                        \
    "local function motor(o) return motor_(with_(o, {torque = M_})) end "                          \
    "local multiplier_, impulse_ = multiplier, impulse "                                           \
    "local function multiplier(n) return multiplier_(n) / M_ end "                                 \
    "local function impulse(n) return impulse_(n) / M_ end "

/* A pendulum that has nothing to do with the rest. */
#define DISGUISE_COMPANION                                                                         \
    "do local companion_ = coordinate('companion', {start = 0.3}) mass(companion_, 1) "            \
    "force(companion_, -companion_) end "

/* Events are declared in the opposite order. */
#define DISGUISE_ORDER                                                                             \
    "local event_, horizon_, later_ = event, horizon, {} "                                         \
    "local function event(n, o) later_[#later_ + 1] = {n, o} end "                                 \
    "local function horizon(a, b) for i = #later_, 1, -1 do event_(later_[i][1], later_[i][2]) "   \
    "end horizon_(a, b) end "

#endif
