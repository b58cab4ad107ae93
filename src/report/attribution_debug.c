// SPDX-License-Identifier: MIT
// Modules of which something is lacking, and what to do about it.
#include <stdlib.h>

#include "base/human.h"
#include "report/attribution.h"
#include "report/module_problem.h"

int dj_add_debug_advice(dj_context *context, const dj_attribution_page *page)
{
    const dj_attribution *a = page->a;
    uint64_t *accesses = calloc(a->module_count + 1, sizeof *accesses), all = 0;
    if (!accesses)
        return dj_fail_memory(context, "a report", a->module_count * sizeof *accesses);
    for (size_t i = 0; i < a->place_count; i++) {
        uint32_t module = a->sites[a->places[i].site].module;
        all += a->places[i].tally.accesses;
        if (module < a->module_count)
            accesses[module] += a->places[i].tally.accesses;
    }
    bool any = false;
    for (size_t i = 0; i < a->module_count; i++) {
        char text[DJ_MODULE_PROBLEM_BYTES], share[DJ_HUMAN_BYTES];
        const char *problem = dj_module_problem(&a->modules[i], text);
        if (!problem || 100 * (double)accesses[i] < (double)all || accesses[i] == 0)
            continue;
        dj_human_share(share, (double)accesses[i], (double)all);
        dj_document_say(page->document, DJ_TEXT_SENTENCES, 0, "%s (%s of the accesses) %s",
                        a->modules[i].path, share, problem)
            ->gap = !any;
        any = true;
    }
    free(accesses);
    return DJ_OK;
}
