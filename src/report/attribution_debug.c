// SPDX-License-Identifier: MIT
// Modules without debug information, and what to do about it.
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "report/attribution.h"

static bool is_system_path(const char *path)
{
    static const char *const folders[] = {"/usr/lib", "/lib", "/usr/bin/", "/bin/", "/usr/sbin/", "/sbin/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (strncmp(path, folders[i], strlen(folders[i])) == 0)
            return true;
    return false;
}

static dj_node *add_module(const dj_attribution_page *page, const dj_module_row *module, uint64_t accesses,
                           uint64_t all)
{
    char share[DJ_HUMAN_BYTES];
    dj_human_share(share, (double)accesses, (double)all);
    if (!module->has_lines)
        return dj_document_say(
            page->document, DJ_TEXT_SENTENCES, 0,
            "%s (%s of the accesses) has no debug information: %s to see its lines, loops and variables",
            module->path, share,
            is_system_path(module->path) ? "install its debug symbols" : "compile with -g");
    return dj_document_say(page->document, DJ_TEXT_SENTENCES, 0,
                           "%s (%s of the accesses) has line numbers but no variables: compile with -g "
                           "instead of -g1 to see its data",
                           module->path, share);
}

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
        bool whole = a->modules[i].has_lines && a->modules[i].has_types;
        if (whole || 100 * (double)accesses[i] < (double)all || accesses[i] == 0)
            continue;
        add_module(page, &a->modules[i], accesses[i], all)->gap = !any;
        any = true;
    }
    free(accesses);
    return DJ_OK;
}
