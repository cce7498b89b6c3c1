/* math.random and math.randomseed. Lua's own start from the clock; here the numbers follow from the
 * seed in the options, and from the argument of randomseed if there is one. The generator is
 * xoshiro256** of Blackman and Vigna, started by splitmix64. */
#include <string.h>

#include "script/library.h"
#include "script/sandbox.h"

static uint64_t rotate(uint64_t x, int bits) { return (x << bits) | (x >> (64 - bits)); }

static uint64_t next_number(uint64_t s[4])
{
    const uint64_t result = rotate(s[1] * 5, 7) * 9;
    const uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate(s[3], 45);
    return result;
}

static uint64_t split(uint64_t *x)
{
    uint64_t z = *x += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void seed(struct sal_script *script, uint64_t of_script)
{
    uint64_t x = script->options.seed;
    x = split(&x) ^ of_script;
    for (int i = 0; i < 4; i++) script->random[i] = split(&x);
}

/* A number from 0 to most: of the bits that most has, until one is not above it. */
static uint64_t up_to(uint64_t s[4], uint64_t most)
{
    uint64_t mask = most, number;
    for (int shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
    do number = next_number(s) & mask;
    while (number > most);
    return number;
}

static int math_random(lua_State *L)
{
    uint64_t   *s = sal_lua_script(L)->random;
    lua_Integer low = 1, high;
    switch (lua_gettop(L)) {
    case 0: lua_pushnumber(L, (lua_Number)(next_number(s) >> 11) * 0x1p-53); return 1;
    case 1:
        high = luaL_checkinteger(L, 1);
        if (high == 0) {
            lua_pushinteger(L, (lua_Integer)next_number(s));
            return 1;
        }
        break;
    case 2:
        low = luaL_checkinteger(L, 1);
        high = luaL_checkinteger(L, 2);
        break;
    default: return luaL_error(L, "wrong number of arguments");
    }
    luaL_argcheck(L, low <= high, lua_gettop(L), "interval is empty");
    const uint64_t range = (uint64_t)high - (uint64_t)low;
    lua_pushinteger(L, (lua_Integer)(up_to(s, range) + (uint64_t)low));
    return 1;
}

static int math_randomseed(lua_State *L)
{
    uint64_t number = 0;
    if (lua_isinteger(L, 1)) {
        number = (uint64_t)lua_tointeger(L, 1);
    } else if (!lua_isnone(L, 1)) {
        const double given = luaL_checknumber(L, 1);
        memcpy(&number, &given, sizeof number);
    }
    seed(sal_lua_script(L), number);
    return 0;
}

void sal_lua_add_random(lua_State *L)
{
    seed(sal_lua_script(L), 0);
    lua_pushcfunction(L, math_random);
    lua_setfield(L, -2, "random");
    lua_pushcfunction(L, math_randomseed);
    lua_setfield(L, -2, "randomseed");
}
