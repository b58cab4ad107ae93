// SPDX-License-Identifier: MIT
// Modules of which something is lacking, and what to do about it.
#include <stdlib.h>

#include "base/human.h"
#include "report/attribution.h"
#include "report/module_problem.h"

int dj_add_debug_advice(dj_context *context, const dj_attribution_page *page)
{
    const dj_attribution *a = page->a;
    uint64_t *accesses = NULL, all = 0;
    int err = dj_module_accesses(context, a, &accesses, &all);
    if (err)
        return err;
    bool any = false;
    for (size_t i = 0; i < a->module_count; i++) {
        char text[DJ_MODULE_PROBLEM_BYTES], share[DJ_HUMAN_BYTES];
        const char *problem = dj_module_problem(&a->modules[i], text);
        if (!problem || !dj_module_matters(accesses[i], all))
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
