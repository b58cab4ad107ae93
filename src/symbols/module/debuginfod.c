// SPDX-License-Identifier: MIT
// Files of a build from debuginfod servers. libdebuginfod, a part of elfutils, is loaded when it is needed,
// so that Deja does not depend on it; nothing is contacted unless DEBUGINFOD_URLS names a server. The library
// keeps files in a cache of the user.
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "symbols/module/module.h"

#define LIBRARY "libdebuginfod.so.1"
// For all files together: a report must not wait for an unreachable server.
#define WAIT_MOST (UINT64_C(60) * 1000000000)

typedef struct debuginfod_client debuginfod_client;

typedef struct library {
    debuginfod_client *(*begin)(void);
    void (*end)(debuginfod_client *client);
    int (*find)(debuginfod_client *client, const unsigned char *build, int build_bytes, char **path);
    void (*set_progress)(debuginfod_client *client, int (*see)(debuginfod_client *client, long a, long b));
} library;

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static bool load(void *handle, const char *name, void *function)
{
    void *symbol = dlsym(handle, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol;
}

// It stays loaded: it starts threads of its own.
static bool load_library(library *l, bool debug)
{
    void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    return handle && load(handle, "debuginfod_begin", &l->begin) && load(handle, "debuginfod_end", &l->end) &&
           load(handle, debug ? "debuginfod_find_debuginfo" : "debuginfod_find_executable", &l->find) &&
           load(handle, "debuginfod_set_progressfn", &l->set_progress);
}

static _Thread_local uint64_t deadline; // of the download in progress

// Called again and again during a download; anything but 0 ends it.
static int is_late(debuginfod_client *client, long done, long all)
{
    (void)client;
    (void)done;
    (void)all;
    return now() > deadline;
}

char *dj_debuginfod_find(dj_symbols *symbols, const char *build, bool debug)
{
    const char *urls = getenv("DEBUGINFOD_URLS");
    library l;
    char *path = NULL;
    if (!urls || !urls[strspn(urls, " ")] || symbols->debuginfod_waited > WAIT_MOST ||
        !load_library(&l, debug))
        return NULL;
    debuginfod_client *client = l.begin();
    if (!client)
        return NULL;
    uint64_t start = now();
    deadline = start + WAIT_MOST - symbols->debuginfod_waited;
    l.set_progress(client, is_late);
    int fd = l.find(client, (const unsigned char *)build, 0, &path);
    if (fd >= 0) {
        close(fd);
    } else {
        free(path);
        path = NULL;
    }
    l.end(client);
    symbols->debuginfod_waited += now() - start;
    return path;
}
