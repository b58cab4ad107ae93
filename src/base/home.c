// SPDX-License-Identifier: MIT
#include "base/home.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool holds(const char *folder, const char *file)
{
    char *path = NULL;
    bool found = asprintf(&path, "%s/%s", folder, file) >= 0 && access(path, R_OK) == 0;
    free(path);
    return found;
}

static int take_chosen(dj_context *context, const char *chosen, const char *file, char **folder)
{
    if (!holds(chosen, file))
        return dj_fail(context, DJ_ERR_USAGE, "DEJA_LIB is '%s', but there is no %s in it", chosen, file);
    *folder = realpath(chosen, NULL);
    return *folder ? DJ_OK : dj_fail_memory(context, "a file name", 0);
}

int dj_home_find(dj_context *context, const char *file, char **folder)
{
    static const char *const places[] = {"tracer",      "tracer/valgrind", "../libexec/deja",
                                         "../lib/deja", "../tracer",       "../tracer/valgrind"};
    char self[PATH_MAX];
    const char *chosen = getenv("DEJA_LIB");
    if (chosen && *chosen)
        return take_chosen(context, chosen, file, folder);
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
        char *place = NULL;
        if (asprintf(&place, "%s/%s", self, places[i]) < 0)
            return dj_fail_memory(context, "a file name", 0);
        // Without `..`: it goes into what is built.
        *folder = holds(place, file) ? realpath(place, NULL) : NULL;
        free(place);
        if (*folder)
            return DJ_OK;
    }
    return dj_fail(
        context, DJ_ERR_UNSUPPORTED,
        "%s, which comes with Deja, is not beside this program nor in ../libexec/deja; reinstall Deja, or "
        "set DEJA_LIB to the folder that holds it",
        file);
}
