// SPDX-License-Identifier: MIT
// Names that could not be had, and what to do about it.
#include <stdlib.h>
#include <string.h>

#include "base/option.h"
#include "report/attribution.h"
#include "report/figure.h"
#include "report/fit.h"
#include "report/ink.h"

static bool of_the_system(const char *path)
{
    static const char *const folders[] = {"/usr/lib", "/lib", "/usr/bin/", "/bin/", "/usr/sbin/", "/sbin/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (strncmp(path, folders[i], strlen(folders[i])) == 0)
            return true;
    return false;
}

static void print_module(const dj_attribution_page *page, const dj_module_row *module, uint64_t accesses,
                         uint64_t all)
{
    char share[DJ_FIGURE], path[DJ_FIT], text[DJ_FIT + 256];
    dj_fit(path, page->style, module->path, 60);
    dj_figure_share(share, (double)accesses, (double)all);
    if (!module->has_lines)
        snprintf(text, sizeof text,
                 "%s (%s of the accesses) has no debug information: %s to see its lines, "
                 "loops and variables",
                 path, share, of_the_system(module->path) ? "install its debug symbols" : "compile with -g");
    else
        snprintf(text, sizeof text,
                 "%s (%s of the accesses) has line numbers but no variables: compile with "
                 "-g instead of -g1 to see its data",
                 path, share);
    dj_text_print_wrapped(page->out, text, 0, dj_style_width(page->style));
}

int dj_page_advise_debug(dj_context *context, const dj_attribution_page *page)
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
        if (!any)
            fputc('\n', page->out);
        any = true;
        print_module(page, &a->modules[i], accesses[i], all);
    }
    free(accesses);
    return DJ_OK;
}
