/* Lua's patterns. Lua's own matcher runs without any limit: a short pattern such as a-a-a-...b
 * against a short text takes longer than the age of the universe.
 *
 * A pattern is first made into a list of items; every set of characters is a bitmap by then. The
 * matcher walks the list and keeps the choices it made on a stack of its own: where a repetition
 * can still be shortened or prolonged, and what a capture was before. A walk passes each item once
 * at most, so the stack is as long as the list. All steps are charged. */
#include "script/pattern.h"

#include <ctype.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "script/sandbox.h"

enum item_kind {
    SINGLE,   /* one character of a set, repeated */
    BALANCED, /* %bxy */
    FRONTIER, /* %f[set] */
    REPEATED, /* %1: what a capture held */
    OPEN,     /* ( */
    CLOSE,    /* ) */
    POSITION, /* () */
    LAST      /* $ */
};

struct item {
    unsigned char kind;
    char          repeat;      /* SINGLE: * + - ? or 0 for once */
    unsigned char first, last; /* BALANCED: the two characters */
    int           capture;     /* REPEATED, OPEN, CLOSE, POSITION: which one */
    uint32_t      set[8];      /* SINGLE, FRONTIER */
};

/* What to go back to. For a repetition: where it ends now, and where it may end at least. For a
 * capture: what it was. */
struct choice {
    int    item;
    size_t place, least;
    int    is_position;
};

struct sal_pattern {
    int            anchored, captures, count;
    struct choice *choices;
    struct item    items[];
};

/* ---- reading a pattern ---------------------------------------------------------------------- */

struct reader {
    lua_State          *L;
    const char         *next, *end;
    struct sal_pattern *pattern;
    int                 open[SAL_CAPTURES_MAX], opened; /* captures not yet closed */
    int                 closed[SAL_CAPTURES_MAX];
};

static int malformed(const struct reader *reader, const char *what)
{
    return luaL_error(reader->L, "malformed pattern (%s)", what);
}

static void set_add(uint32_t set[8], int c) { set[c >> 5] |= (uint32_t)1 << (c & 31); }

static int set_has(const uint32_t set[8], int c) { return (int)(set[c >> 5] >> (c & 31)) & 1; }

/* Whether c belongs to the class of that lower-case letter; -1 if the letter is no class. */
static int in_class(int c, int letter)
{
    switch (letter) {
    case 'a': return isalpha(c) != 0;
    case 'c': return iscntrl(c) != 0;
    case 'd': return isdigit(c) != 0;
    case 'g': return isgraph(c) != 0;
    case 'l': return islower(c) != 0;
    case 'p': return ispunct(c) != 0;
    case 's': return isspace(c) != 0;
    case 'u': return isupper(c) != 0;
    case 'w': return isalnum(c) != 0;
    case 'x': return isxdigit(c) != 0;
    default: return -1;
    }
}

/* %letter: a class, its complement, or the character itself. */
static void set_add_class(uint32_t set[8], int letter)
{
    if (in_class(0, tolower(letter)) < 0) {
        set_add(set, letter);
        return;
    }
    for (int c = 0; c <= UCHAR_MAX; c++)
        if (in_class(c, tolower(letter)) != (isupper(letter) != 0)) set_add(set, c);
}

static int take(struct reader *reader) { return (unsigned char)*reader->next++; }

static int peek(const struct reader *reader, int ahead)
{
    return reader->end - reader->next > ahead ? (unsigned char)reader->next[ahead] : -1;
}

/* The rest of [set]. A ] that comes first is a character like any other. */
static void read_set(struct reader *reader, uint32_t set[8])
{
    const int complement = peek(reader, 0) == '^';
    if (complement) take(reader);
    do {
        if (peek(reader, 0) < 0) malformed(reader, "missing ']'");
        const int c = take(reader);
        if (c == '%') {
            if (peek(reader, 0) < 0) malformed(reader, "missing ']'");
            set_add_class(set, take(reader));
        } else if (peek(reader, 0) == '-' && peek(reader, 1) >= 0 && peek(reader, 1) != ']') {
            take(reader);
            const int last = take(reader);
            for (int i = c; i <= last; i++) set_add(set, i);
        } else {
            set_add(set, c);
        }
    } while (peek(reader, 0) != ']');
    take(reader);
    if (complement)
        for (int i = 0; i < 8; i++) set[i] = ~set[i];
}

static void read_single(struct reader *reader, struct item *item)
{
    const int c = take(reader);
    item->kind = SINGLE;
    if (c == '[') read_set(reader, item->set);
    else if (c == '%') set_add_class(item->set, take(reader));
    else if (c == '.') memset(item->set, 0xff, sizeof item->set);
    else set_add(item->set, c);
    const int suffix = peek(reader, 0);
    if (suffix > 0 && strchr("*+-?", suffix)) item->repeat = (char)take(reader);
}

static void read_open(struct reader *reader, struct item *item)
{
    take(reader);
    if (reader->pattern->captures >= SAL_CAPTURES_MAX) luaL_error(reader->L, "too many captures");
    item->capture = reader->pattern->captures++;
    item->kind = OPEN;
    if (peek(reader, 0) == ')') {
        take(reader);
        item->kind = POSITION;
        reader->closed[item->capture] = 1;
    } else {
        reader->open[reader->opened++] = item->capture;
    }
}

static void read_close(struct reader *reader, struct item *item)
{
    take(reader);
    if (reader->opened == 0) luaL_error(reader->L, "invalid pattern capture");
    item->kind = CLOSE;
    item->capture = reader->open[--reader->opened];
    reader->closed[item->capture] = 1;
}

static void read_balanced(struct reader *reader, struct item *item)
{
    if (peek(reader, 3) < 0) malformed(reader, "missing arguments to '%b'");
    reader->next += 2;
    item->kind = BALANCED;
    item->first = (unsigned char)take(reader);
    item->last = (unsigned char)take(reader);
}

static void read_frontier(struct reader *reader, struct item *item)
{
    if (peek(reader, 2) != '[') luaL_error(reader->L, "missing '[' after '%%f' in pattern");
    reader->next += 3;
    item->kind = FRONTIER;
    read_set(reader, item->set);
}

static void read_repeated(struct reader *reader, struct item *item)
{
    const int capture = peek(reader, 1) - '1';
    if (capture < 0 || capture >= reader->pattern->captures || !reader->closed[capture])
        luaL_error(reader->L, "invalid capture index %%%d in pattern", capture + 1);
    reader->next += 2;
    item->kind = REPEATED;
    item->capture = capture;
}

static void read_item(struct reader *reader, struct item *item)
{
    const int c = peek(reader, 0), second = peek(reader, 1);
    if (c == '(') read_open(reader, item);
    else if (c == ')') read_close(reader, item);
    else if (c == '$' && second < 0) {
        take(reader);
        item->kind = LAST;
    } else if (c == '%' && second < 0) malformed(reader, "ends with '%'");
    else if (c == '%' && second == 'b') read_balanced(reader, item);
    else if (c == '%' && second == 'f') read_frontier(reader, item);
    else if (c == '%' && isdigit(second)) read_repeated(reader, item);
    else read_single(reader, item);
}

struct sal_pattern *sal_lua_pattern_push(lua_State *L, const char *text, size_t length,
                                         int anchor_allowed)
{
    /* No item is shorter than a character. */
    const size_t        choices = sizeof(struct sal_pattern) + length * sizeof(struct item);
    const size_t        aligned = (choices + 15) / 16 * 16;
    struct sal_pattern *pattern = lua_newuserdatauv(L, aligned + length * sizeof(struct choice), 0);
    struct reader       reader = {.L = L, .next = text, .end = text + length, .pattern = pattern};
    memset(pattern, 0, choices);
    pattern->choices = (struct choice *)((char *)pattern + aligned);
    pattern->anchored = anchor_allowed && length > 0 && text[0] == '^';
    if (pattern->anchored) take(&reader);
    while (reader.next < reader.end) read_item(&reader, &pattern->items[pattern->count++]);
    if (reader.opened > 0) luaL_error(L, "unfinished capture");
    return pattern;
}

int sal_lua_pattern_is_anchored(const struct sal_pattern *pattern) { return pattern->anchored; }

/* ---- matching ------------------------------------------------------------------------------- */

struct matcher {
    lua_State          *L;
    struct sal_pattern *pattern;
    struct sal_match   *match;
    int                 item;  /* the next one to match */
    size_t              place; /* where */
    int                 choices;
    size_t              work; /* not yet charged */
};

static void charge(struct matcher *matcher, size_t work)
{
    matcher->work += work;
    if (matcher->work < 1000) return;
    sal_lua_charge(matcher->L, matcher->work);
    matcher->work = 0;
}

static int fits(const struct matcher *matcher, const struct item *item, size_t place)
{
    return place < matcher->match->length &&
           set_has(item->set, (unsigned char)matcher->match->text[place]);
}

static void push_choice(struct matcher *matcher, struct choice choice)
{
    choice.item = matcher->item;
    matcher->pattern->choices[matcher->choices++] = choice;
}

static int match_single(struct matcher *matcher, const struct item *item)
{
    size_t       end = matcher->place;
    const size_t least = end + (item->repeat == '+' || item->repeat == 0);
    const int    once = item->repeat == '?' || item->repeat == 0;
    if (item->repeat == '-') {
        push_choice(matcher, (struct choice){.place = end});
        return 1;
    }
    while (fits(matcher, item, end)) {
        end++;
        if (once) break;
    }
    charge(matcher, end - matcher->place);
    if (end < least) return 0;
    if (end > least) push_choice(matcher, (struct choice){.place = end, .least = least});
    matcher->place = end;
    return 1;
}

static int match_balanced(struct matcher *matcher, const struct item *item)
{
    const unsigned char *text = (const unsigned char *)matcher->match->text;
    size_t               place = matcher->place, depth = 1;
    if (place >= matcher->match->length || text[place] != item->first) return 0;
    while (++place < matcher->match->length) {
        charge(matcher, 1);
        if (text[place] == item->last) { /* looked at first: the two may be the same */
            if (--depth > 0) continue;
            matcher->place = place + 1;
            return 1;
        }
        if (text[place] == item->first) depth++;
    }
    return 0;
}

static int match_frontier(const struct matcher *matcher, const struct item *item)
{
    const unsigned char *text = (const unsigned char *)matcher->match->text;
    const size_t         place = matcher->place;
    const int            before = place > 0 ? text[place - 1] : 0;
    const int            after = place < matcher->match->length ? text[place] : 0;
    return !set_has(item->set, before) && set_has(item->set, after);
}

static int match_repeated(struct matcher *matcher, const struct item *item)
{
    const struct sal_match *match = matcher->match;
    const size_t            length = match->capture[item->capture].length;
    if (match->capture[item->capture].is_position) return 0;
    if (length > match->length - matcher->place) return 0;
    charge(matcher, 1 + length / 8);
    if (memcmp(match->text + match->capture[item->capture].start, match->text + matcher->place,
               length) != 0)
        return 0;
    matcher->place += length;
    return 1;
}

/* Captures are written over, after what they were was noted. */
static int match_capture(struct matcher *matcher, const struct item *item)
{
    struct sal_match *match = matcher->match;
    const int         i = item->capture;
    push_choice(matcher, (struct choice){.place = match->capture[i].start,
                                         .least = match->capture[i].length,
                                         .is_position = match->capture[i].is_position});
    if (item->kind == CLOSE) {
        match->capture[i].length = matcher->place - match->capture[i].start;
    } else {
        match->capture[i].start = matcher->place;
        match->capture[i].length = 0;
        match->capture[i].is_position = item->kind == POSITION;
    }
    return 1;
}

static int match_item(struct matcher *matcher, const struct item *item)
{
    switch ((enum item_kind)item->kind) {
    case SINGLE: return match_single(matcher, item);
    case BALANCED: return match_balanced(matcher, item);
    case FRONTIER: return match_frontier(matcher, item);
    case REPEATED: return match_repeated(matcher, item);
    case LAST: return matcher->place == matcher->match->length;
    case OPEN:
    case CLOSE:
    case POSITION: return match_capture(matcher, item);
    }
    return 0;
}

static void restore_capture(struct matcher *matcher, const struct choice *choice)
{
    struct sal_match *match = matcher->match;
    const int         i = matcher->pattern->items[choice->item].capture;
    match->capture[i].start = choice->place;
    match->capture[i].length = choice->least;
    match->capture[i].is_position = choice->is_position;
}

/* Goes on after the repetition of this choice, in its next variant; 0 if there is none left. */
static int vary(struct matcher *matcher, struct choice *choice)
{
    const struct item *item = &matcher->pattern->items[choice->item];
    if (item->repeat == '-') {
        if (!fits(matcher, item, choice->place)) return 0;
        choice->place++;
    } else {
        if (choice->place == choice->least) return 0;
        choice->place--;
    }
    matcher->place = choice->place;
    matcher->item = choice->item + 1;
    return 1;
}

/* Returns to the last choice that has another variant; 0 if there is none. */
static int backtrack(struct matcher *matcher)
{
    while (matcher->choices > 0) {
        struct choice *choice = &matcher->pattern->choices[matcher->choices - 1];
        charge(matcher, 2);
        if (matcher->pattern->items[choice->item].kind != SINGLE) restore_capture(matcher, choice);
        else if (vary(matcher, choice)) return 1;
        matcher->choices--;
    }
    return 0;
}

int sal_lua_pattern_match(lua_State *L, struct sal_pattern *pattern, size_t place,
                          struct sal_match *match)
{
    struct matcher matcher = {.L = L, .pattern = pattern, .match = match, .place = place};
    memset(match->capture, 0, (size_t)pattern->captures * sizeof match->capture[0]);
    match->captures = pattern->captures;
    while (matcher.item < pattern->count) {
        charge(&matcher, 3);
        if (match_item(&matcher, &pattern->items[matcher.item])) matcher.item++;
        else if (!backtrack(&matcher)) break;
    }
    sal_lua_charge(L, matcher.work + 5);
    match->start = place;
    match->end = matcher.place;
    return matcher.item == pattern->count;
}
