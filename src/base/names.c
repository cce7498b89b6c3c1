/* The nearest name: edit distance with transpositions (optimal string alignment), case ignored. */
#include "base/names.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 63 };

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

const char *sal_nearest(const char *name, const char *const *names, int count)
{
    const char *best = NULL;
    const int   length = (int)strlen(name);
    int         least = length <= 2 ? 2 : length / 3 + 2; /* further away is no help */
    for (int i = 0; i < count; i++) {
        const int d = distance(name, names[i]);
        if (d < least) {
            least = d;
            best = names[i];
        }
    }
    return best;
}
