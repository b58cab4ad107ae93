// SPDX-License-Identifier: MIT
// Long reuses, a paragraph each: what, where, how far, how much, what may help.
#include <stdlib.h>
#include <string.h>

#include "report/attribution.h"
#include "report/cluster.h"
#include "report/figure.h"
#include "report/fit.h"
#include "report/ink.h"
#include "report/paragraph.h"

enum { INDENT = 5 };

// The cache of whose misses the cluster has the largest share; of equal ones the largest.
static size_t worst_cut(const dj_attribution *a, const dj_reuses *reuses, const dj_cluster *cluster)
{
    size_t worst = a->cut_count;
    double most = 0;
    for (size_t i = 0; i < a->cut_count; i++) {
        double misses = dj_tally_misses(&cluster->tally, a, a->cuts[i].blocks);
        double share = misses / (double)reuses->all_misses[i];
        if (misses > 0 && share >= most) {
            most = share;
            worst = i;
        }
    }
    return worst;
}

static void list_data(const dj_cluster *cluster, char *to, size_t room)
{
    size_t used = 0;
    for (size_t i = 0; i < cluster->named && used < room; i++)
        used += (size_t)snprintf(to + used, room - used, "%s%s", i > 0 ? ", " : "",
                                 cluster->members[i]->data_name);
}

static void print_head(const dj_attribution_page *page, const dj_reuses *reuses, const dj_cluster *cluster,
                       size_t number)
{
    const char *advice = dj_advice_name(cluster->members[0]->advice);
    char data[1024], fitted[DJ_FIT], measure[DJ_MEASURE], figure[DJ_FIGURE], note[128];
    size_t cut = worst_cut(page->a, reuses, cluster);
    if (cut < page->a->cut_count)
        snprintf(note, sizeof note, "%s of the %s",
                 dj_figure_share(figure, dj_tally_misses(&cluster->tally, page->a, page->a->cuts[cut].blocks),
                                 (double)reuses->all_misses[cut]),
                 dj_page_measure(page, cut, measure));
    else
        snprintf(note, sizeof note, "%s reuses", dj_figure_count(figure, cluster->tally.accesses));
    unsigned width = dj_style_width(page->style), used = 9 + (unsigned)(strlen(note) + strlen(advice));
    list_data(cluster, data, sizeof data);
    dj_fit(fitted, page->style, data, width > used + 10 ? width - used : 10);
    dj_ink(page->out, page->style, DJ_INK_TITLE);
    fprintf(page->out, "  %zu. %s", number, fitted);
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
    int length = asprintf(&text, "%s %s %s; innermost loop around both: %s", reuse->from_name, arrow,
                          itself ? "itself" : reuse->to_name, loop);
    if (length >= 0)
        dj_paragraph(page->out, page->style, text, INDENT);
    free(length >= 0 ? text : NULL);
}

static void print_figures(const dj_attribution_page *page, const dj_reuses *reuses, const dj_tally *tally)
{
    dj_moments m = dj_tally_moments(tally, page->a);
    char median[DJ_FIGURE], longest[DJ_FIGURE], figure[DJ_FIGURE], share[DJ_FIGURE], text[1024];
    size_t used = (size_t)snprintf(text, sizeof text, "distance: median %s, longest %s %ss%s",
                                   dj_figure_short(median, m.median), dj_figure_short(longest, (double)m.max),
                                   page->profile->provenance.unit, page->a->cut_count ? "; misses:" : "");
    for (size_t i = 0; i < page->a->cut_count && used < sizeof text; i++) {
        double misses = dj_tally_misses(tally, page->a, page->a->cuts[i].blocks);
        dj_figure_share(share, misses, (double)reuses->all_misses[i]);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %.15s %s%s%s%s", i > 0 ? "," : "",
                                 page->a->cuts[i].name, dj_figure_short(figure, misses),
                                 misses > 0 ? " (" : "", misses > 0 ? share : "", misses > 0 ? ")" : "");
    }
    dj_paragraph(page->out, page->style, text, INDENT);
}

static void print_cluster(const dj_attribution_page *page, const dj_reuses *reuses, const dj_cluster *cluster,
                          size_t number)
{
    print_head(page, reuses, cluster, number);
    print_uses(page, cluster->members[0]);
    print_figures(page, reuses, &cluster->tally);
    dj_paragraph(page->out, page->style, cluster->members[0]->text, INDENT);
}

// What is left after `members` reuses whose tally is `shown`.
static void print_rest(const dj_attribution_page *page, const dj_reuses *reuses, const dj_tally *shown,
                       size_t members)
{
    char measure[DJ_MEASURE];
    const dj_attribution *a = page->a;
    size_t cut = dj_attribution_telling_cut(a);
    if (cut == a->cut_count) {
        dj_page_print_rest(page, reuses->count - members, reuses->total.accesses - shown->accesses,
                           reuses->total.accesses, "long reuses");
        return;
    }
    uint64_t part = (uint64_t)(dj_tally_misses(shown, a, a->cuts[cut].blocks) + 0.5);
    dj_page_print_rest(page, reuses->count - members, reuses->total_misses[cut] - part,
                       reuses->all_misses[cut], dj_page_measure(page, cut, measure));
}

int dj_page_reuses(dj_context *context, const dj_attribution_page *page, const dj_reuses *reuses, size_t top)
{
    dj_cluster *clusters = NULL;
    size_t count = 0, members = 0;
    dj_tally shown = {0};
    int err = dj_clusters_create(context, reuses, top, &clusters, &count);
    if (err)
        return err;
    dj_ink(page->out, page->style, DJ_INK_TITLE);
    fputs("long reuses", page->out);
    dj_ink(page->out, page->style, DJ_INK_PLAIN);
    dj_ink(page->out, page->style, DJ_INK_FAINT);
    fprintf(page->out, "  where data was last used, and what may help\n");
    dj_ink(page->out, page->style, DJ_INK_PLAIN);
    // Those with at least 1% of the misses of some cache; the first in any case.
    for (size_t i = 0; i < count && (i == 0 || clusters[i].weight >= 0.01) && !err; i++) {
        print_cluster(page, reuses, &clusters[i], i + 1);
        members += clusters[i].count;
        err = dj_tally_add(&shown, context, &clusters[i].tally);
    }
    print_rest(page, reuses, &shown, members);
    dj_tally_free(&shown);
    dj_clusters_destroy(clusters, count);
    return err;
}
