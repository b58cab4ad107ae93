// SPDX-License-Identifier: MIT
#include "base/support_dir.h"

#include <dlfcn.h>
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
        return dj_fail(context, DJ_ERR_USAGE, "DEJA_LIB is '%s', but that folder has no %s", chosen, file);
    *folder = realpath(chosen, NULL);
    return *folder ? DJ_OK : dj_fail_memory(context, "a file name", 0);
}

// The folder of this program, or of the library that contains this function; "" if unknown.
static void find_self(bool library, char folder[PATH_MAX])
{
    Dl_info about = {0};
    ssize_t length = 0;
    if (!library)
        length = readlink("/proc/self/exe", folder, PATH_MAX - 1);
    else if (dladdr((void *)(uintptr_t)dj_support_dir_find, &about) && about.dli_fname &&
             realpath(about.dli_fname, folder))
        length = (ssize_t)strlen(folder);
    folder[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
}

// Sets *found to NULL if the file is not there.
static int find_beside(dj_context *context, bool library, const char *file, char **found)
{
    static const char *const places[] = {
        "tracer",    "tracer/valgrind",    "../libexec/deja",   "../lib/deja",
        "../tracer", "../tracer/valgrind", "../../libexec/deja"};
    // The last one is for libraries in an architecture-specific folder.
    size_t count = sizeof places / sizeof *places - !library;
    char self[PATH_MAX];
    find_self(library, self);
    *found = NULL;
    for (size_t i = 0; *self && !*found && i < count; i++) {
        char *place = NULL;
        if (asprintf(&place, "%s/%s", self, places[i]) < 0)
            return dj_fail_memory(context, "a file name", 0);
        // Without `..`, since the path is stored in the programs that are built.
        *found = holds(place, file) ? realpath(place, NULL) : NULL;
        free(place);
    }
    return DJ_OK;
}

int dj_support_dir_find(dj_context *context, const char *file, char **folder)
{
    const char *chosen = getenv("DEJA_LIB");
    if (chosen && *chosen)
        return take_chosen(context, chosen, file, folder);
    int err = find_beside(context, false, file, folder);
    if (!err && !*folder)
        err = find_beside(context, true, file, folder);
    if (err || *folder)
        return err;
    return dj_fail(context, DJ_ERR_UNSUPPORTED,
                   "%s, which comes with Deja, was not found beside this program or in ../libexec/deja; "
                   "reinstall Deja, or "
                   "set DEJA_LIB to the folder that contains it",
                   file);
}
