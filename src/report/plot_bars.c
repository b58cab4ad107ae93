// SPDX-License-Identifier: MIT
// The histogram as bars: label, count, share, sum of shares, bar.
#include "report/plot.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/figure.h"
#include "report/ink.h"

void dj_plot_bar(FILE *out, const dj_report_style *style, double share, unsigned columns, bool hatched)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    unsigned length = (unsigned)(share * columns * 8 + 0.5);
    if (share > 0 && length == 0)
        length = 1;
    if (length > 8 && (hatched || !style->unicode))
        length = (length + 4) / 8 * 8; // these characters come whole
    dj_ink(out, style, hatched ? DJ_INK_COLD : DJ_INK_REUSE);
    const char *full = style->unicode ? (hatched ? "░" : "█") : (hatched ? ":" : "#");
    for (unsigned i = 0; i < length / 8; i++)
        fputs(full, out);
    if (length % 8 != 0)
        fputs(style->unicode ? eighths[length % 8] : ".", out);
    dj_ink(out, style, DJ_INK_PLAIN);
}

// More bins than this do not make a picture.
enum { ROWS_MOST = 66, LABEL = 64 };

typedef struct layout {
    int label, count;
    int share, sum; // 0 where there is no room
    unsigned bar;
    double scale; // count of the longest bar
    double total;
} layout;

static void make_label(char *to, const dj_bin *bin, bool unicode)
{
    char lo[DJ_FIGURE], hi[DJ_FIGURE];
    dj_figure_count(lo, bin->lo);
    if (bin->lo == bin->hi)
        snprintf(to, LABEL, "%s", lo);
    else
        snprintf(to, LABEL, "%s%s%s", lo, unicode ? "–" : "-", dj_figure_count(hi, bin->hi));
}

// Columns that a label takes; all of its characters but the dash are ASCII.
static int label_columns(const char *label)
{
    return (int)(strlen(label) - (strstr(label, "–") ? strlen("–") - 1 : 0));
}

static layout lay_out(const char *title, const dj_bin *bins, size_t count, uint64_t cold,
                      const dj_report_style *style)
{
    layout l = {.label = (int)strlen(title) - 2, .count = (int)strlen("accesses"), .total = (double)cold};
    char label[LABEL], figure[DJ_FIGURE];
    l.scale = (double)cold;
    for (size_t i = 0; i < count; i++) {
        make_label(label, &bins[i], style->unicode);
        int columns = label_columns(label), digits = (int)strlen(dj_figure_count(figure, bins[i].count));
        l.label = columns > l.label ? columns : l.label;
        l.count = digits > l.count ? digits : l.count;
        l.scale = (double)bins[i].count > l.scale ? (double)bins[i].count : l.scale;
        l.total += (double)bins[i].count;
    }
    int digits = (int)strlen(dj_figure_count(figure, cold));
    l.count = digits > l.count ? digits : l.count;
    enum { PERCENT = 9, BAR_LEAST = 8 };
    int left = (int)dj_style_width(style) - (2 + l.label + 2 + l.count + 2);
    l.share = left >= PERCENT + BAR_LEAST ? PERCENT : 0;
    l.sum = left >= 2 * PERCENT + BAR_LEAST ? PERCENT : 0;
    left -= l.share + l.sum;
    l.bar = left > 4 ? (unsigned)left : 4;
    return l;
}

static void print_row(FILE *out, const layout *l, const dj_report_style *style, const char *label,
                      uint64_t count, double sum)
{
    char figure[DJ_FIGURE], share[DJ_FIGURE], sums[DJ_FIGURE];
    bool cold = sum < 0;
    dj_figure_percent(share, (double)count, l->total);
    dj_figure_percent(sums, sum, l->total);
    fprintf(out, "  %*s%s  %*s%*s%*s", l->label - label_columns(label), "", label, l->count,
            dj_figure_count(figure, count), l->share, l->share > 0 ? share : "", l->sum,
            cold || l->sum == 0 ? "" : sums);
    if (count > 0) {
        fputs("  ", out);
        dj_plot_bar(out, style, (double)count / l->scale, l->bar, cold);
    }
    fputc('\n', out);
}

int dj_report_histogram(dj_context *context, const char *title, const dj_histogram *histogram, uint64_t cold,
                        const dj_report_style *style, FILE *out)
{
    dj_bin *bins = NULL;
    size_t count = 0;
    enum dj_binning binning = style->binning;
    int err = dj_histogram_bins(histogram, context, binning, style->bin_width, &bins, &count);
    if (err == DJ_OK && count > ROWS_MOST) {
        free(bins);
        binning = DJ_BINS_LOG2;
        err = dj_histogram_bins(histogram, context, binning, 0, &bins, &count);
    }
    if (err != DJ_OK)
        return err;
    layout l = lay_out(title, bins, count, cold, style);
    dj_ink(out, style, DJ_INK_TITLE);
    fprintf(out, "%-*s", 2 + l.label, title);
    dj_ink(out, style, DJ_INK_FAINT);
    fprintf(out, "  %*s%*s%*s\n", l.count, "accesses", l.share, l.share > 0 ? "share" : "", l.sum,
            l.sum > 0 ? "sum" : "");
    dj_ink(out, style, DJ_INK_PLAIN);
    double sum = 0;
    char text[LABEL];
    for (size_t i = 0; i < count; i++) {
        sum += (double)bins[i].count;
        make_label(text, &bins[i], style->unicode);
        print_row(out, &l, style, text, bins[i].count, sum);
    }
    if (cold > 0)
        print_row(out, &l, style, "cold", cold, -1);
    if (binning != style->binning)
        fprintf(out, "  (too many bins to draw: shown by powers of two; --json has them all)\n");
    free(bins);
    return DJ_OK;
}
