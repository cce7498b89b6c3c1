/* Protection from the environment of the host: see host.h. */
#define _GNU_SOURCE /* fegetexcept */
#include "base/host.h"

#include <locale.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
/* The bits that are settings (the others are flags), and their defaults: all exceptions masked,
 * rounding to nearest, denormal numbers kept. */
enum { SSE_SETTINGS = 0xffc0, SSE_DEFAULT = 0x1f80 };
#endif

/* Whether floating-point settings are the default ones. This test is much faster than saving and
 * restoring them, and nearly all hosts pass it. */
static bool is_plain(void)
{
#if defined(__SSE2__)
    if ((_mm_getcsr() & SSE_SETTINGS) != SSE_DEFAULT) return false;
#endif
#if defined(__GLIBC__)
    if (fegetexcept() != 0) return false;
#endif
    return fegetround() == FE_TONEAREST;
}

sal_host sal_host_hold(void)
{
    sal_host host = {.is_unloaded = !is_plain(), .ours = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
    if (host.is_unloaded) {
        fegetenv(&host.floats);
        fesetenv(FE_DFL_ENV);
    }
    if (host.ours) host.locale = uselocale(host.ours);
    return host;
}

void sal_host_restore(sal_host *host)
{
    if (host->ours) {
        uselocale(host->locale);
        freelocale(host->ours);
    }
    if (host->is_unloaded) fesetenv(&host->floats);
}
