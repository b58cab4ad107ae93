// SPDX-License-Identifier: MIT
#include "cli/module_notes.h"

#include <stdlib.h>

#include "cli/options/output.h"
#include "report/module_problem.h"

static void note(const dj_module_row *module)
{
    char text[1 + DJ_MODULE_PROBLEM_BYTES] = " ";
    if (dj_module_problem(module, text + 1))
        dj_output_message_about("note: ", module->path, text);
}

void dj_note_program(const dj_profile *profile)
{
    const dj_attribution *a = profile ? dj_profile_attribution(profile) : NULL;
    if (a && a->module_count)
        note(&a->modules[0]);
}

void dj_note_lost_modules(dj_context *context, const dj_profile *profile)
{
    const dj_attribution *a = dj_profile_attribution(profile);
    uint64_t *accesses = NULL, all = 0;
    if (!a || dj_module_accesses(context, a, &accesses, &all) != DJ_OK)
        return;
    for (size_t i = 0; i < a->module_count; i++)
        if (dj_module_is_lost(&a->modules[i]) && dj_module_matters(accesses[i], all))
            note(&a->modules[i]);
    free(accesses);
}
