// SPDX-License-Identifier: MIT
#include "trace/sharers/library.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

bool dj_library_is(const char *path)
{
    // Of glibc, in older versions with a number as in libc-2.31.so, and of musl.
    static const char *const names[] = {"libc.so",  "libpthread.so", "ld-linux", "ld-musl",
                                        "ld64.so.", "ld.so.",        "libc.musl"};
    static const char *const numbered[] = {"libc-", "libpthread-", "ld-"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (!strstr(name, ".so"))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++) {
        const size_t length = strlen(numbered[i]);
        if (strncmp(name, numbered[i], length) == 0 && isdigit((unsigned char)name[length]))
            return true;
    }
    return false;
}

int dj_library_see(dj_library *l, dj_context *context, const dj_event *module)
{
    if (!dj_library_is(module->text))
        return DJ_OK;
    int err = dj_grow(context, "the modules", &l->ranges, &l->capacity, l->count + 1, sizeof *l->ranges);
    if (!err)
        l->ranges[l->count++] = (dj_address_range){module->b, module->c};
    return err;
}

void dj_library_free(dj_library *l)
{
    free(l->ranges);
    *l = (dj_library){0};
}
