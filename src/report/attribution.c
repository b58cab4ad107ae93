// SPDX-License-Identifier: MIT
// The report of an attribution.
#include "report/attribution.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/option.h"
#include "report/figure.h"
#include "report/fit.h"
#include "report/ink.h"

static void print_total(const dj_attribution_page *page, const char *name, uint64_t count, const char *note)
{
    char figure[DJ_FIGURE], fitted[DJ_FIT];
    fprintf(page->out, "  %-16s %18s%s%s\n", dj_fit(fitted, page->style, name, 16),
            dj_figure_count(figure, count), *note ? "   " : "", note);
}

static void note_bytes(const dj_attribution_page *page, uint64_t blocks, char *note, size_t room)
{
    char bytes[DJ_FIGURE];
    uint64_t block = page->profile->lanes[0].id.block_bytes;
    size_t used = strlen(note);
    if (page->profile->provenance.unit_bytes > 0 && block > 0 && blocks <= UINT64_MAX / block)
        snprintf(note + used, room - used, "%s%s", used > 0 ? " " : "",
                 dj_figure_bytes(bytes, blocks * block));
}

static void print_totals(const dj_attribution_page *page, const dj_breakdown *any)
{
    const dj_profile *profile = page->profile;
    char note[128] = "", share[DJ_FIGURE], name[64];
    double accesses = (double)any->total.accesses;
    print_total(page, "accesses", any->total.accesses, "");
    if (profile->outside > 0)
        print_total(page, "outside", profile->outside, "told of, but in no recorded data: not counted");
    snprintf(name, sizeof name, strcmp(profile->provenance.unit, "element") == 0 ? "%ss" : "distinct %ss",
             profile->provenance.unit);
    note_bytes(page, profile->lanes[0].distinct, note, sizeof note);
    print_total(page, name, profile->lanes[0].distinct, note);
    print_total(page, "cold", any->total.cold, dj_figure_percent(share, (double)any->total.cold, accesses));
    for (size_t i = 0; i < page->a->cut_count; i++) {
        snprintf(name, sizeof name, "misses in %s", page->a->cuts[i].name);
        snprintf(note, sizeof note, "%s of the accesses, in",
                 dj_figure_percent(share, (double)any->total_misses[i], accesses));
        note_bytes(page, page->a->cuts[i].blocks, note, sizeof note);
        print_total(page, name, any->total_misses[i], note);
    }
}

static int print_breakdown(dj_context *context, const dj_attribution_page *page, enum dj_by by, size_t top,
                           bool totals)
{
    dj_breakdown *b = NULL;
    int err = dj_breakdown_create(context, page->a, by, &b);
    if (err)
        return err;
    if (totals)
        print_totals(page, b);
    fputc('\n', page->out);
    if (by == DJ_BY_CONTEXT)
        err = dj_page_tree(context, page, b, top);
    else
        dj_page_table(page, b, top);
    dj_breakdown_destroy(b);
    return err;
}

static int print_reuses(dj_context *context, const dj_attribution_page *page, size_t top)
{
    dj_reuses *reuses = NULL;
    int err = dj_reuses_create(context, page->a, &reuses);
    if (!err && reuses->count > 0) {
        fputc('\n', page->out);
        err = dj_page_reuses(context, page, reuses, top);
    }
    dj_reuses_destroy(reuses);
    return err;
}

static void print_legend(const dj_attribution_page *page)
{
    char text[256];
    snprintf(text, sizeof text,
             "\n%s: distinct ones, %s estimated (standard error 6.5%%); medians are interpolated%s",
             strcmp(page->profile->provenance.unit, "element") == 0 ? "elements" : "blocks",
             page->style->unicode ? "≈" : "~",
             page->a->cut_count ? "; misses: fully associative LRU, cold ones included" : "");
    dj_ink(page->out, page->style, DJ_INK_FAINT);
    fputc('\n', page->out);
    dj_text_print_wrapped(page->out, text + 1, 0, dj_style_width(page->style));
    dj_ink(page->out, page->style, DJ_INK_PLAIN);
}

// Where most of the code has no line numbers, functions tell more.
static bool has_lines(const dj_attribution *a)
{
    double with = 0, without = 0;
    for (size_t i = 0; i < a->place_count; i++)
        *(a->sites[a->places[i].site].line > 0 ? &with : &without) += (double)a->places[i].tally.accesses;
    return with >= without;
}

int dj_report_attribution(dj_context *context, const dj_profile *profile, const dj_attribution_view *view,
                          const dj_report_style *style, FILE *out)
{
    enum { TOP = 10, TOP_SUMMARY = 5, TOP_REUSES = 5, TOP_REUSES_SUMMARY = 3 };
    if (!dj_profile_attribution(profile))
        return dj_fail(context, DJ_ERR_USAGE,
                       "the profile does not tell where its accesses come from; make it with deja run, or "
                       "deja analyze --by of a recorded program");
    const enum dj_by summary[] = {DJ_BY_OBJECT,
                                  has_lines(dj_profile_attribution(profile)) ? DJ_BY_LINE : DJ_BY_FUNCTION};
    dj_attribution_page page = {profile, dj_profile_attribution(profile), style, out};
    bool brief = view->by_count == 0;
    const enum dj_by *by = brief ? summary : view->by;
    size_t count = brief ? sizeof summary / sizeof *summary : view->by_count;
    size_t top = view->top ? view->top : brief ? TOP_SUMMARY : TOP;
    dj_report_title(profile, style, out);
    fputc('\n', out);
    int err = DJ_OK;
    for (size_t i = 0; i < count && !err; i++)
        err = print_breakdown(context, &page, by[i], top, i == 0);
    if (!err)
        err = print_reuses(context, &page, brief ? TOP_REUSES_SUMMARY : TOP_REUSES);
    if (!err)
        err = dj_page_advise_debug(context, &page);
    print_legend(&page);
    return err;
}
