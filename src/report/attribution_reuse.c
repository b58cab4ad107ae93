// SPDX-License-Identifier: MIT
// Long reuses, a paragraph each: what, where, how far, how much, what may help.
#include <stdlib.h>
#include <string.h>

#include "base/option.h"
#include "report/attribution.h"
#include "report/figure.h"
#include "report/fit.h"
#include "report/ink.h"

enum { INDENT = 5, WIDTH_MOST = 100 };

// Lines of a paragraph that are too long are hard to follow.
static unsigned width_of_text(const dj_attribution_page *page)
{
    unsigned width = dj_style_width(page->style);
    return width < WIDTH_MOST ? width : WIDTH_MOST;
}

static void print_line(const dj_attribution_page *page, const char *text)
{
    char *clean = dj_fit_clean(page->style, text);
    if (clean)
        dj_text_print_wrapped(page->out, clean, INDENT, width_of_text(page));
    free(clean);
}

// What reuses are ranked by: misses at the cut, or their number.
static uint64_t weight(const dj_attribution_page *page, const dj_reuses *reuses, size_t number)
{
    const dj_reuse *reuse = &reuses->list[number];
    return reuses->sort_cut < page->a->cut_count ? reuse->misses[reuses->sort_cut] : reuse->tally.accesses;
}

static uint64_t whole_weight(const dj_attribution_page *page, const dj_reuses *reuses)
{
    bool cut = reuses->sort_cut < page->a->cut_count;
    return cut ? reuses->all_misses[reuses->sort_cut] : reuses->total.accesses;
}

static const char *measure_name(const dj_attribution_page *page, const dj_reuses *reuses, char *to)
{
    bool cut = reuses->sort_cut < page->a->cut_count;
    return cut ? dj_page_measure(page, reuses->sort_cut, to) : "long reuses";
}

static void print_head(const dj_attribution_page *page, const dj_reuses *reuses, size_t number)
{
    char data[DJ_FIT], measure[DJ_MEASURE], share[DJ_FIGURE], figure[DJ_FIGURE], note[128];
    const char *advice = dj_advice_name(reuses->list[number].advice);
    uint64_t part = weight(page, reuses, number);
    snprintf(note, sizeof note, "%s of the %s (%s)",
             dj_figure_share(share, (double)part, (double)whole_weight(page, reuses)),
             measure_name(page, reuses, measure), dj_figure_count(figure, part));
    unsigned width = dj_style_width(page->style), used = 9 + (unsigned)(strlen(note) + strlen(advice));
    dj_fit(data, page->style, reuses->list[number].data_name, width > used + 10 ? width - used : 10);
    dj_ink(page->out, page->style, DJ_INK_TITLE);
    fprintf(page->out, "  %zu. %s", number + 1, data);
    dj_ink(page->out, page->style, DJ_INK_PLAIN);
    fprintf(page->out, "  %s: ", note);
    dj_ink(page->out, page->style, DJ_INK_MARK);
    fputs(advice, page->out);
    dj_ink(page->out, page->style, DJ_INK_PLAIN);
    fputc('\n', page->out);
}

static void print_uses(const dj_attribution_page *page, const dj_reuse *reuse)
{
    char *text = NULL;
    const char *loop = *reuse->loop_name ? reuse->loop_name : "none";
    const char *arrow = page->style->unicode ? "→" : "->";
    bool itself = strcmp(reuse->from_name, reuse->to_name) == 0;
    int length = itself ? asprintf(&text, "%s %s itself; innermost loop around both: %s", reuse->from_name,
                                   arrow, loop)
                        : asprintf(&text, "%s %s %s; innermost loop around both: %s", reuse->from_name, arrow,
                                   reuse->to_name, loop);
    if (length >= 0)
        print_line(page, text);
    free(length >= 0 ? text : NULL);
}

static void print_figures(const dj_attribution_page *page, const dj_reuse *reuse)
{
    dj_moments m = dj_tally_moments(&reuse->tally, page->a);
    char median[DJ_FIGURE], longest[DJ_FIGURE], figure[DJ_FIGURE], text[512];
    size_t used = (size_t)snprintf(
        text, sizeof text, "distance: median %s, longest %s %ss; misses:", dj_figure_short(median, m.median),
        dj_figure_short(longest, (double)m.max), page->profile->provenance.unit);
    for (size_t i = 0; i < page->a->cut_count && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %s %s", i > 0 ? "," : "",
                                 page->a->cuts[i].name, dj_figure_short(figure, (double)reuse->misses[i]));
    print_line(page, text);
}

// Those that miss, or all when none does.
static size_t count_worth(const dj_attribution_page *page, const dj_reuses *reuses, size_t top)
{
    size_t count = 0;
    while (count < reuses->count && weight(page, reuses, count) > 0)
        count++;
    count = count > 0 ? count : reuses->count;
    return count < top ? count : top;
}

void dj_page_reuses(const dj_attribution_page *page, const dj_reuses *reuses, size_t top)
{
    char measure[DJ_MEASURE];
    size_t shown = count_worth(page, reuses, top);
    uint64_t rest = 0;
    dj_ink(page->out, page->style, DJ_INK_TITLE);
    fputs("long reuses", page->out);
    dj_ink(page->out, page->style, DJ_INK_PLAIN);
    dj_ink(page->out, page->style, DJ_INK_FAINT);
    fprintf(page->out, "  where data was last used, and what may help\n");
    dj_ink(page->out, page->style, DJ_INK_PLAIN);
    for (size_t i = 0; i < shown; i++) {
        print_head(page, reuses, i);
        print_uses(page, &reuses->list[i]);
        print_figures(page, &reuses->list[i]);
        print_line(page, reuses->list[i].text);
    }
    for (size_t i = shown; i < reuses->count; i++)
        rest += weight(page, reuses, i);
    dj_page_print_rest(page, reuses->count - shown, rest, whole_weight(page, reuses),
                       measure_name(page, reuses, measure));
}
