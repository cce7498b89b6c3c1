#include "answer/library.h"

#include <dlfcn.h>
#include <string.h>

#include "base/status.h"

/* The library stays loaded: loading it again only counts. */
saltus_status sal_library_load(const char *engine, const char *file, const char *package,
                               const sal_library_call *calls, int count, saltus_error *err)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return sal_fail(err, SALTUS_ERR_ARGUMENT,
                        "optimise: the engine \"%s\" needs %s, which is not installed (Debian: "
                        "%s); leave engine out, and the search is done without it",
                        engine, file, package);
    for (int i = 0; i < count; i++) {
        void *address = dlsym(library, calls[i].name);
        if (!address)
            return sal_fail(err, SALTUS_ERR_ARGUMENT,
                            "optimise: %s has no function '%s': this version cannot be used", file,
                            calls[i].name);
        memcpy(calls[i].address, &address, sizeof address);
    }
    return SALTUS_OK;
}
