// SPDX-License-Identifier: MIT
// Finds the real functions that this library wraps.
#ifndef DEJA_RUNTIME_STATIC
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "wrap.h"

// On failure dlsym allocates memory, which leads back here.
static DJ_RT_THREAD bool finding;

// Libraries loaded with a plugin do not follow this one, where RTLD_NEXT searches.
static void *find_in(const char *library, const char *name)
{
    __typeof__(&dlopen) open = (__typeof__(&dlopen))dlsym(RTLD_NEXT, "dlopen"); // not that of dlopen.c
    void *handle = open(library, RTLD_LAZY | RTLD_NOLOAD);
    void *found = handle ? dlsym(handle, name) : NULL;
    if (handle)
        dlclose(handle);
    return found;
}

static void *find(const char *name)
{
    // Before glibc 2.36, RTLD_NEXT returns the oldest version, which has different structures.
    void *found = strncmp(name, "pthread_cond_", 13) == 0 ? dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2") : NULL;
    if (!found)
        found = dlsym(RTLD_NEXT, name);
    static const struct {
        const char *prefix, *library;
    } homes[] = {{"GOMP_", "libgomp.so.1"}, {"omp_", "libgomp.so.1"}, {"__kmp", "libomp.so.5"},
                 {"omp_", "libomp.so.5"},   {"_Z", "libstdc++.so.6"}, {"__cxa", "libstdc++.so.6"}};
    for (unsigned i = 0; !found && i < sizeof homes / sizeof *homes; i++)
        if (strncmp(name, homes[i].prefix, strlen(homes[i].prefix)) == 0)
            found = find_in(homes[i].library, name);
    return found;
}

void *dj_rt_real(const char *name, void **known)
{
    void *found = __atomic_load_n(known, __ATOMIC_RELAXED);
    if (DJ_RT_LIKELY(found != NULL) || finding)
        return found;
    int before = errno;
    finding = true;
    found = find(name);
    finding = false;
    errno = before;
    __atomic_store_n(known, found, __ATOMIC_RELAXED);
    return found;
}
#endif
