// SPDX-License-Identifier: MIT
// Long reuses, a paragraph each: the data, both uses, the distances, the misses, the advice.
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "model/reuse/cluster.h"
#include "report/attribution.h"

enum { INDENT = 5 };

// The cache of whose misses the cluster has the largest share; the largest cache on a tie.
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

static const char *name_data(dj_document *document, const dj_cluster *cluster)
{
    const char *text = cluster->members[0]->data_name;
    for (size_t i = 1; i < cluster->named; i++)
        text = dj_document_format(document, "%s, %s", text, cluster->members[i]->data_name);
    return text;
}

// "1. grid[*]  88% of the L2 misses: tile"
static void add_head(const dj_attribution_page *page, const dj_reuses *reuses, const dj_cluster *cluster,
                     size_t number)
{
    dj_document *document = page->document;
    const dj_attribution *a = page->a;
    char figure[DJ_HUMAN_BYTES];
    size_t cut = worst_cut(a, reuses, cluster);
    dj_text *head = &dj_document_say(document, DJ_TEXT_ITEM, 2, "%zu. ", number)->text;
    dj_text_add(document, head, DJ_STYLE_STRONG, DJ_FIT_MIDDLE, "%s", name_data(document, cluster));
    if (cut < a->cut_count) {
        double misses = dj_tally_misses(&cluster->tally, a, a->cuts[cut].blocks);
        dj_text_add(document, head, DJ_STYLE_PLAIN, DJ_FIT_WHOLE, "  %s of the ",
                    dj_human_share(figure, misses, (double)reuses->all_misses[cut]));
        dj_text_add(document, head, DJ_STYLE_PLAIN, DJ_FIT_MIDDLE, "%s", dj_name_measure(page, cut));
        dj_text_add(document, head, DJ_STYLE_PLAIN, DJ_FIT_WHOLE, ": ");
    } else {
        dj_text_add(document, head, DJ_STYLE_PLAIN, DJ_FIT_WHOLE,
                    "  %s reuses: ", dj_human_count(figure, cluster->tally.accesses));
    }
    dj_text_add(document, head, DJ_STYLE_MARK, DJ_FIT_WHOLE, "%s",
                dj_advice_name(cluster->members[0]->advice));
}

static void add_uses(const dj_attribution_page *page, const dj_reuse *reuse)
{
    bool itself = strcmp(reuse->from_name, reuse->to_name) == 0;
    const char *loop = *reuse->loop_name ? reuse->loop_name : "none";
    if (itself)
        dj_document_say(page->document, DJ_TEXT_SENTENCES, INDENT,
                        "last and next use: %s; innermost loop: %s", reuse->to_name, loop);
    else
        dj_document_say(page->document, DJ_TEXT_SENTENCES, INDENT,
                        "last use: %s; next use: %s; innermost common loop: %s", reuse->from_name,
                        reuse->to_name, loop);
}

static void add_figures(const dj_attribution_page *page, const dj_reuses *reuses, const dj_tally *tally)
{
    dj_moments m = dj_tally_moments(tally, page->a);
    char median[DJ_HUMAN_BYTES], longest[DJ_HUMAN_BYTES], figure[DJ_HUMAN_BYTES], share[DJ_HUMAN_BYTES];
    dj_node *node = dj_document_say(page->document, DJ_TEXT_SENTENCES, INDENT,
                                    "reuse distance: median %s, maximum %s %ss%s",
                                    dj_human_short(median, m.median), dj_human_short(longest, (double)m.max),
                                    page->profile->provenance.unit, page->a->cut_count ? "; misses:" : "");
    for (size_t i = 0; i < page->a->cut_count; i++) {
        double misses = dj_tally_misses(tally, page->a, page->a->cuts[i].blocks);
        dj_human_share(share, misses, (double)reuses->all_misses[i]);
        dj_text_add(page->document, &node->text, DJ_STYLE_PLAIN, DJ_FIT_WHOLE, "%s %s %s%s%s%s",
                    i > 0 ? "," : "", page->a->cuts[i].name, dj_human_short(figure, misses),
                    misses > 0 ? " (" : "", misses > 0 ? share : "", misses > 0 ? ")" : "");
    }
}

// The line about the reuses beyond the `members` shown ones, whose tally is `shown`.
static void add_rest(const dj_attribution_page *page, const dj_reuses *reuses, const dj_tally *shown,
                     size_t members)
{
    const dj_attribution *a = page->a;
    size_t cut = dj_attribution_sort_cut(a), more = reuses->count - members;
    double part = (double)(reuses->total.accesses - shown->accesses), whole = (double)reuses->total.accesses;
    const char *measure = "long reuses";
    if (cut < a->cut_count) {
        uint64_t misses = (uint64_t)(dj_tally_misses(shown, a, a->cuts[cut].blocks) + 0.5);
        part = (double)(reuses->total_misses[cut] - misses);
        whole = (double)reuses->all_misses[cut];
        measure = dj_name_measure(page, cut);
    }
    const char *rest = dj_name_rest(page->document, more, part, whole, measure);
    if (rest)
        dj_text_add(page->document, &dj_document_say(page->document, DJ_TEXT_LINE, 2, "%s", "")->text,
                    DJ_STYLE_FAINT, DJ_FIT_WHOLE, "%s", rest);
}

int dj_add_reuses(dj_context *context, const dj_attribution_page *page, const dj_reuses *reuses, size_t top)
{
    dj_cluster *clusters = NULL;
    size_t count = 0, members = 0;
    dj_tally shown = {0};
    int err = dj_clusters_create(context, reuses, top, &clusters, &count);
    if (err)
        return err;
    dj_node *heading = dj_document_say(page->document, DJ_TEXT_HEADING, 0, "long reuses");
    dj_text_add(page->document, &heading->text, DJ_STYLE_FAINT, DJ_FIT_WHOLE, "  data used again much later");
    // At least 1% of the misses in some cache; the first is always shown.
    for (size_t i = 0; i < count && (i == 0 || clusters[i].weight >= 0.01) && !err; i++) {
        add_head(page, reuses, &clusters[i], i + 1);
        add_uses(page, clusters[i].members[0]);
        add_figures(page, reuses, &clusters[i].tally);
        if (!clusters[i].members[0]->advice && *clusters[i].members[0]->text) // why there is none
            dj_document_say(page->document, DJ_TEXT_SENTENCES, INDENT, "%s", clusters[i].members[0]->text);
        members += clusters[i].count;
        err = dj_tally_add(&shown, context, &clusters[i].tally);
    }
    add_rest(page, reuses, &shown, members);
    dj_tally_free(&shown);
    dj_clusters_destroy(clusters, count);
    return err;
}
