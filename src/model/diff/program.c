// SPDX-License-Identifier: MIT
// Whether two runs are of one program: its file has the same name, or most of its own accesses are in
// functions that both have. Libraries say nothing, and neither does main of another file.
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "model/diff/side.h"

static const double LEAST_SHARED = 0.5;

static bool is_main(const dj_function_row *function)
{
    return strcmp(function->name, "main") == 0 || strcmp(function->name, "MAIN__") == 0;
}

static const dj_function_row *function_of(const dj_attribution *a, const dj_diff_item *item)
{
    return item->entity->row < a->function_count ? &a->functions[item->entity->row] : NULL;
}

const char *dj_diff_program(const dj_profile *profile)
{
    const dj_attribution *a = dj_profile_attribution(profile);
    const dj_provenance *from = &profile->provenance;
    for (size_t f = 0; a && f < a->function_count; f++)
        if (a->functions[f].name && is_main(&a->functions[f]) && a->functions[f].module < a->module_count)
            return dj_file_name(a->modules[a->functions[f].module].path);
    return from->input_count > 0 ? dj_file_name(from->inputs[0]) : "";
}

static bool is_library(const char *path)
{
    static const char *const begins[] = {"lib", "ld-", "ld.so", "vgpreload_", "[", "linux-vdso"};
    const char *file = dj_file_name(path);
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (strncmp(file, begins[i], strlen(begins[i])) == 0)
            return true;
    return *file == 0;
}

static bool is_own(const dj_attribution *a, const dj_diff_item *item, const char *program)
{
    const uint32_t module = item->entity->module;
    if (module >= a->module_count)
        return false;
    const char *path = a->modules[module].path;
    return strcmp(dj_file_name(path), program) == 0 || !is_library(path);
}

static bool same_file(const dj_attribution *const a[DJ_SIDES],
                      const dj_function_row *const functions[DJ_SIDES])
{
    const char *names[DJ_SIDES];
    for (int run = 0; run < DJ_SIDES; run++) {
        if (functions[run]->file >= a[run]->file_count)
            return false;
        names[run] = dj_file_name(a[run]->files[functions[run]->file]);
    }
    return strcmp(names[DJ_BEFORE], names[DJ_AFTER]) == 0;
}

typedef struct own {
    double all, named, shared; // accesses of the program itself
} own;

static own count_own(const dj_attribution *const a[DJ_SIDES], const dj_diff_side sides[DJ_SIDES], int run,
                     const char *program)
{
    const int other = run == DJ_BEFORE ? DJ_AFTER : DJ_BEFORE;
    own found = {0, 0, 0};
    for (size_t i = 0; i < sides[run].count; i++) {
        const dj_diff_item *item = &sides[run].items[i];
        const dj_function_row *functions[DJ_SIDES] = {NULL, NULL};
        functions[run] = function_of(a[run], item);
        if (item->match != SIZE_MAX)
            functions[other] = function_of(a[other], &sides[other].items[item->match]);
        if (!is_own(a[run], item, program))
            continue;
        found.all += (double)item->accesses;
        found.named += functions[run] ? (double)item->accesses : 0;
        if (functions[run] && functions[other] && (!is_main(functions[run]) || same_file(a, functions)))
            found.shared += (double)item->accesses;
    }
    return found;
}

int dj_diff_check_program(dj_context *context, const dj_diff_request *request,
                          const dj_diff_side functions[DJ_SIDES], double *shared)
{
    const dj_attribution *a[DJ_SIDES];
    const char *programs[DJ_SIDES];
    bool named = true;
    *shared = 1;
    for (int run = 0; run < DJ_SIDES; run++) {
        a[run] = dj_profile_attribution(request->profiles[run]);
        programs[run] = dj_diff_program(request->profiles[run]);
    }
    for (int run = 0; run < DJ_SIDES; run++) {
        const own found = count_own(a, functions, run, programs[run]);
        *shared = fmin(*shared, found.all > 0 ? found.shared / found.all : 1);
        named &= found.named >= LEAST_SHARED * found.all;
    }
    const bool same_name = *programs[DJ_BEFORE] && strcmp(programs[DJ_BEFORE], programs[DJ_AFTER]) == 0;
    if (*shared >= LEAST_SHARED || same_name)
        return DJ_OK;
    if (!named)
        return dj_fail(context, DJ_ERR_USAGE,
                       "%s (%s) and %s (%s) have functions without names, so nothing tells whether they are "
                       "the same program; measure programs with symbols, or under the same file name",
                       request->names[DJ_BEFORE], programs[DJ_BEFORE], request->names[DJ_AFTER],
                       programs[DJ_AFTER]);
    return dj_fail(context, DJ_ERR_USAGE,
                   "%s (%s) and %s (%s) are of different programs: only %.0f%% of the accesses are in "
                   "functions that both have. Versions of one program can be compared under the same file "
                   "name",
                   request->names[DJ_BEFORE], programs[DJ_BEFORE], request->names[DJ_AFTER],
                   programs[DJ_AFTER], 100 * *shared);
}
