/* Names: see names.h. The nearest name is found by edit distance with transpositions (optimal
 * string alignment), ignoring case; a name that is the beginning of another one is near it, too. */
#include "base/names.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 63, SHORTEST = 3 };

static int smaller(int a, int b) { return a < b ? a : b; }

static int distance(const char *a, const char *b)
{
    const int na = (int)strlen(a), nb = (int)strlen(b);
    int       row[3][LONGEST + 1];
    if (na > LONGEST || nb > LONGEST) return LONGEST;
    for (int j = 0; j <= nb; j++) row[0][j] = j;
    for (int i = 1; i <= na; i++) {
        int *now = row[i % 3], *above = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= nb; j++) {
            const int ca = tolower((unsigned char)a[i - 1]), cb = tolower((unsigned char)b[j - 1]);
            now[j] = smaller(smaller(above[j] + 1, now[j - 1] + 1), above[j - 1] + (ca != cb));
            if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
                cb == tolower((unsigned char)a[i - 2]))
                now[j] = smaller(now[j], before[j - 2] + 1);
        }
    }
    return row[na % 3][nb];
}

/* Whether one name begins with the other: five and five_bar, tol and tolerance. */
static bool is_cut_short(const char *a, const char *b)
{
    int same = 0;
    while (a[same] && tolower((unsigned char)a[same]) == tolower((unsigned char)b[same])) same++;
    return same >= SHORTEST && (!a[same] || !b[same]);
}

/* The distance in half letters: a name that was cut short is nearer than one with two mistakes, but
 * not as near as one with a single mistake. */
static int half_distance(const char *a, const char *b)
{
    const int d = 2 * distance(a, b);
    return d > 3 && is_cut_short(a, b) ? 3 : d;
}

const char *sal_nearest(const char *name, const char *const *names, int count)
{
    const char *best = NULL;
    const int   length = (int)strlen(name);
    const int   mistakes = length < 2 ? 0 : length < 4 ? 1 : length / 3 + 1; /* most to suggest */
    int         least = 2 * mistakes + 2;
    for (int i = 0; i < count; i++) {
        if (!names[i]) continue;
        const int d = half_distance(name, names[i]);
        if (d < least) {
            least = d;
            best = names[i];
        }
    }
    return best;
}

/* Returns the number of bytes of a UTF-8 character; 0 if it is invalid: truncated, overlong, a
 * surrogate, or too large. */
static int utf8_length(const unsigned char *s)
{
    static const unsigned lowest[] = {0, 0, 0x80, 0x800, 0x10000};
    const int             bytes = *s < 0x80   ? 1
                                  : *s < 0xC0 ? 0
                                  : *s < 0xE0 ? 2
                                  : *s < 0xF0 ? 3
                                  : *s < 0xF8 ? 4
                                              : 0;
    unsigned              c = bytes > 1 ? *s & (0x7Fu >> bytes) : *s;
    for (int i = 1; i < bytes; i++) {
        if ((s[i] & 0xC0) != 0x80) return 0; /* also at the final NUL */
        c = c << 6 | (s[i] & 0x3Fu);
    }
    const int ok = c >= lowest[bytes] && c <= 0x10FFFF && (c < 0xD800 || c >= 0xE000);
    return ok ? bytes : 0;
}

const unsigned char *sal_not_utf8(const char *text)
{
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        const int bytes = utf8_length(s);
        if (bytes == 0) return s;
        s += bytes;
    }
    return NULL;
}

/* ---- table ---------------------------------------------------------------------------------- */

static unsigned hash_of(const char *name)
{
    unsigned h = 2166136261u;
    for (; *name; name++) h = (h ^ (unsigned char)*name) * 16777619u;
    return h ^ (h >> 15);
}

/* The place of the name, or the empty place where it belongs. */
static int place_of(const sal_name_table *table, const char *name)
{
    unsigned i = hash_of(name) & (unsigned)(table->size - 1);
    while (table->name[i] && strcmp(table->name[i], name) != 0)
        i = (i + 1) & (unsigned)(table->size - 1);
    return (int)i;
}

int sal_name_find(const sal_name_table *table, const char *name)
{
    if (table->size == 0) return -1;
    const int i = place_of(table, name);
    return table->name[i] ? table->number[i] : -1;
}

static bool grow(sal_name_table *table, const saltus_allocator *allocator)
{
    sal_name_table larger = {.size = table->size ? 2 * table->size : 32};
    const size_t   size = (size_t)larger.size;
    larger.name = sal_resize(allocator, NULL, 0, size * sizeof *larger.name);
    larger.number = sal_resize(allocator, NULL, 0, size * sizeof *larger.number);
    if (!larger.name || !larger.number) {
        sal_name_release(&larger, allocator);
        return false;
    }
    memset(larger.name, 0, size * sizeof *larger.name);
    for (int i = 0; i < table->size; i++) {
        if (!table->name[i]) continue;
        const int place = place_of(&larger, table->name[i]);
        larger.name[place] = table->name[i];
        larger.number[place] = table->number[i];
    }
    larger.count = table->count;
    sal_name_release(table, allocator);
    *table = larger;
    return true;
}

bool sal_name_add(sal_name_table *table, const saltus_allocator *allocator, const char *name,
                  int number)
{
    if (2 * table->count >= table->size && !grow(table, allocator)) return false;
    const int place = place_of(table, name);
    table->name[place] = name;
    table->number[place] = number;
    table->count++;
    return true;
}

void sal_name_release(sal_name_table *table, const saltus_allocator *allocator)
{
    const size_t size = (size_t)table->size;
    if (table->name) sal_resize(allocator, table->name, size * sizeof *table->name, 0);
    if (table->number) sal_resize(allocator, table->number, size * sizeof *table->number, 0);
    *table = (sal_name_table){0};
}

bool sal_name_matches(const char *pattern, const char *text)
{
    /* After a mismatch the last star takes one more character; earlier stars need not be retried.
     */
    const char *star = NULL, *resume = NULL;
    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            resume = text;
        } else if (*pattern == *text) {
            pattern++, text++;
        } else if (star) {
            pattern = star + 1;
            text = ++resume;
        } else {
            return false;
        }
    }
    while (*pattern == '*') pattern++;
    return !*pattern;
}
