// SPDX-License-Identifier: MIT
// Histograms as bars: label, count, share, cumulative share, bar.
#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "render/chart.h"
#include "render/text.h"

void dj_page_bar(dj_page *page, double share, unsigned columns, bool hatched)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    unsigned length = (unsigned)(share * columns * 8 + 0.5);
    if (share > 0 && length == 0)
        length = 1;
    if (length > 8 && (hatched || !page->unicode))
        length = (length + 4) / 8 * 8; // these characters cannot be split
    dj_page_ink_series(page, hatched);
    const char *full = page->unicode ? (hatched ? "░" : "█") : (hatched ? ":" : "#");
    for (unsigned i = 0; i < length / 8; i++)
        dj_page_put(page, full);
    if (length % 8 != 0)
        dj_page_put(page, page->unicode ? eighths[length % 8] : ".");
    dj_page_ink(page, DJ_STYLE_PLAIN);
}

enum { LABEL_MOST = 24 };

// Titles and units are cut to the width of labels.
static const char *fit(dj_page *page, const char *text)
{
    return dj_page_fit(page, dj_page_plain(page, text), LABEL_MOST, DJ_FIT_MIDDLE);
}

typedef struct layout {
    unsigned label, count;
    unsigned share, sum; // 0 if they do not fit
    unsigned bar;
    double scale; // count of the longest bar
    double total;
} layout;

const char *dj_bar_label(dj_arena *arena, const dj_bar *bar, bool unicode)
{
    char lo[DJ_HUMAN_BYTES], hi[DJ_HUMAN_BYTES], text[2 * DJ_HUMAN_BYTES + 4];
    if (bar->label)
        return dj_plain_fit(arena, dj_plain(arena, bar->label, unicode), LABEL_MOST, DJ_FIT_MIDDLE, unicode);
    dj_human_count(lo, bar->lo);
    if (bar->lo == bar->hi)
        return dj_plain(arena, lo, unicode);
    snprintf(text, sizeof text, "%s–%s", lo, dj_human_count(hi, bar->hi));
    return dj_plain(arena, text, unicode);
}

static layout lay_out(dj_page *page, const dj_bars *bars)
{
    enum { PERCENT = 9, BAR_LEAST = 8, BAR_MOST = 128 };
    unsigned title = dj_plain_columns(fit(page, bars->title));
    layout l = {.label = title > 2 ? title - 2 : 0, .count = dj_plain_columns(fit(page, bars->unit))};
    for (size_t i = 0; i < bars->count; i++) {
        char figure[DJ_HUMAN_BYTES];
        const dj_bar *bar = &bars->list[i];
        unsigned columns = dj_plain_columns(dj_bar_label(&page->arena, bar, page->unicode));
        unsigned digits = (unsigned)strlen(dj_human_count(figure, bar->count));
        l.label = columns > l.label ? columns : l.label;
        l.count = digits > l.count ? digits : l.count;
        l.scale = (double)bar->count > l.scale ? (double)bar->count : l.scale;
        l.total += (double)bar->count;
    }
    int left = (int)page->width - (int)(2 + l.label + 2 + l.count + 2);
    l.share = left >= PERCENT + BAR_LEAST ? PERCENT : 0;
    l.sum = left >= 2 * PERCENT + BAR_LEAST ? PERCENT : 0;
    left -= (int)(l.share + l.sum);
    l.bar = left > BAR_MOST ? BAR_MOST : left > 4 ? (unsigned)left : 4;
    return l;
}

static void put_bar(dj_page *page, const layout *l, const dj_bar *bar, double sum)
{
    char figure[DJ_HUMAN_BYTES];
    dj_page_pad(page, 2);
    dj_page_cell(page, dj_bar_label(&page->arena, bar, page->unicode), l->label, false);
    dj_page_cell(page, dj_human_count(figure, bar->count), l->count + 2, false);
    dj_page_cell(page, l->share ? dj_human_percent(figure, (double)bar->count, l->total) : "", l->share,
                 false);
    dj_page_cell(page, bar->label || !l->sum ? "" : dj_human_percent(figure, sum, l->total), l->sum, false);
    if (bar->count > 0) {
        dj_page_put(page, "  ");
        dj_page_bar(page, (double)bar->count / l->scale, l->bar, bar->label != NULL);
    }
    dj_page_end(page);
}

void dj_page_bars(dj_page *page, const dj_bars *bars)
{
    layout l = lay_out(page, bars);
    dj_page_ink(page, DJ_STYLE_STRONG);
    dj_page_cell(page, fit(page, bars->title), 2 + l.label, true);
    dj_page_ink(page, DJ_STYLE_FAINT);
    dj_page_cell(page, fit(page, bars->unit), l.count + 2, false);
    dj_page_cell(page, l.share ? "share" : "", l.share, false);
    dj_page_cell(page, l.sum ? "cumul." : "", l.sum, false);
    dj_page_ink(page, DJ_STYLE_PLAIN);
    dj_page_end(page);
    double sum = 0;
    for (size_t i = 0; i < bars->count; i++) {
        sum += bars->list[i].label ? 0 : (double)bars->list[i].count;
        put_bar(page, &l, &bars->list[i], sum);
    }
}
