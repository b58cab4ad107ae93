// SPDX-License-Identifier: MIT
// Modules of which something is lacking, and what to do about it.
#include <stdlib.h>

#include "base/human.h"
#include "report/attribution.h"
#include "report/module_problem.h"

enum { NAMED_MOST = 3 };

// One sentence for all of them.
static void add_unverified(const dj_attribution_page *page, const uint64_t *accesses, uint64_t all, bool any)
{
    const dj_attribution *a = page->a;
    dj_node *node = NULL;
    size_t count = 0;
    for (size_t i = 0; i < a->module_count; i++) {
        if (a->modules[i].state != DJ_MODULE_UNVERIFIED || !dj_module_matters(accesses[i], all))
            continue;
        if (!node) {
            node = dj_document_say(page->document, DJ_TEXT_SENTENCES, 0, "%s", a->modules[i].path);
            node->gap = !any;
        } else if (count < NAMED_MOST) {
            dj_text_add(page->document, &node->text, DJ_STYLE_PLAIN, DJ_FIT_WHOLE, ", %s",
                        a->modules[i].path);
        }
        count++;
    }
    if (count > NAMED_MOST)
        dj_text_add(page->document, &node->text, DJ_STYLE_PLAIN, DJ_FIT_WHOLE, " and %zu other object file%s",
                    count - NAMED_MOST, count == NAMED_MOST + 1 ? "" : "s");
    if (count > 0)
        dj_text_add(page->document, &node->text, DJ_STYLE_PLAIN, DJ_FIT_WHOLE,
                    " may have changed: the recording, by an older version of Deja, does not identify %s",
                    count == 1 ? "it" : "them");
}

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
    add_unverified(page, accesses, all, any);
    free(accesses);
    return DJ_OK;
}
