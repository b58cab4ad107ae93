// SPDX-License-Identifier: MIT
// deja mrc: predict the miss ratio of every cache size.
#include <deja/deja.h>

#include <stdio.h>

#include "cli/verbs/mrc.h"

static const char *const policies[] = {"none", "lru", "fifo", "lfu", NULL};

static const char *const sizes[] = {"all", "log:1", "log:2", "log:4", NULL};

#define AT(field) offsetof(dj_mrc_options, field)

static const dj_option table[] = {
    {"sizes", 0, DJ_OPTION_TEXT | DJ_OPTION_COMMON, AT(sizes), "LIST",
     "cache sizes in blocks or bytes, such as 1000,64K,32M. log:N computes N sizes per doubling (default "
     "log:1), all computes every size at which the curve changes",
     sizes},
    {"ways", 0, DJ_OPTION_UINT | DJ_OPTION_COMMON, AT(ways), "W",
     "also predict set-associative caches with W ways. Uses Smith's formula; with --simulate, W is the "
     "associativity of the simulated caches",
     NULL},
    {"simulate", 0, DJ_OPTION_CHOICE | DJ_OPTION_COMMON, AT(simulate), "POLICY",
     "also simulate caches with this policy. Simulates the sizes listed by --sizes, otherwise 16 to 262144 "
     "blocks",
     policies},
    {"hash-sets", 0, DJ_OPTION_FLAG, AT(hash_sets), NULL,
     "select simulated sets by a hash of the block number instead of its remainder", NULL},
    {"follow", 0, DJ_OPTION_OPTIONAL | DJ_OPTION_COMMON, AT(follow), "SECONDS",
     "follow a file that grows, or a pipe, and print the curves of the last window and of all so far every "
     "so "
     "many seconds (default 10). A file is followed until Ctrl-C, a pipe until it ends. With --json each "
     "report is one line",
     NULL},
    DJ_WINDOWS_OPTION(AT(windows.text), " or of a duration such as 10s"),
    {"threshold", 0, DJ_OPTION_TEXT | DJ_OPTION_COMMON, AT(threshold), "SIZE:RATIO",
     "exit with status 1 if the LRU miss ratio at SIZE exceeds RATIO, as in 32K:0.1 or 1000:10%", NULL},
    DJ_FAIL_IF_OPTION(AT(fail_if.typed), "L2.ratio > 5%"),
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static int list_options(dj_context *context, void *values, dj_groups *groups)
{
    dj_mrc_options *o = values;
    int err = dj_groups_add(context, groups, "Curve", table, o);
    if (!err)
        err = dj_caches_list(context, &o->caches, groups);
    if (!err)
        err = dj_trace_list(context, &o->trace, groups);
    if (!err)
        err = dj_export_list(context, &o->export, 0, "a row for each size; svg draws the curves", groups);
    if (!err)
        err = dj_filters_list(context, &o->filters, groups, DJ_FILTERS_FOR_TRACES);
    return err ? err : dj_output_list(context, &o->output, groups);
}

static int print(dj_context *context, const dj_mrc_options *o, const dj_mrc_report *report,
                 const dj_caches *caches)
{
    const dj_profile_view view = {.marks = caches->marks, .mark_count = caches->count};
    dj_output *output = NULL;
    dj_document *document = NULL;
    int err = dj_output_open(context, &o->output, &output);
    if (!err && output->json)
        err = dj_mrc_json(context, report, output->file);
    else if (!err)
        err = dj_document_mrc(context, report, &view, &document);
    if (document && dj_export_renderer(&o->export)->all_rows && report->profile->lanes[0].binned)
        dj_output_message(
            "note: ",
            "misses are computed from bins: exact at the ends of a bin, an upper bound between them");
    if (document)
        err = dj_export_render(context, &o->export, document, &report->profile->provenance, output);
    dj_document_destroy(document);
    return dj_output_end(context, err, &output);
}

// Of an estimate, only the band tells whether the exact miss ratio is above the limit.
static void say_crossed(const char *typed, const dj_mrc_report *report)
{
    const dj_mrc_threshold *t = &report->threshold;
    const char *how = report->origin.certified ? "certainly" : "probably";
    char found[128];
    if (report->profile->provenance.exact)
        snprintf(found, sizeof found, " exceeded: the miss ratio is %.2f%%", 100 * t->ratio);
    else if (!report->origin.known)
        snprintf(found, sizeof found,
                 " exceeded by an estimate: the miss ratio is about %.2f%%, and its error is unknown",
                 100 * t->ratio);
    else if (t->low > t->limit)
        snprintf(found, sizeof found, " %s exceeded: the miss ratio is between %.2f%% and %.2f%%", how,
                 100 * t->low, 100 * t->high);
    else
        snprintf(found, sizeof found, " may be exceeded: the miss ratio is %s between %.2f%% and %.2f%%", how,
                 100 * t->low, 100 * t->high);
    dj_output_message_about("threshold ", typed, found);
}

static int report(dj_context *context, dj_mrc_options *o, const dj_profile *profile, dj_sizes *chosen)
{
    dj_caches caches;
    dj_mrc_report computed = {.profile = profile};
    int err = dj_caches_find(context, &o->caches, profile, &caches);
    if (!err)
        err = dj_fail_if_resolve(context, &o->fail_if, &caches, dj_profile_attribution(profile),
                                 profile->provenance.unit_bytes ? profile->lanes[0].id.block_bytes : 0);
    if (!err)
        err = dj_sizes_resolve(context, chosen, &profile->lanes[0]);
    if (!err)
        err = dj_mrc_apply(context, o, profile, chosen, &caches, &computed);
    if (!err)
        err = print(context, o, &computed, &caches);
    if (!err)
        err = dj_fail_if_say(context, computed.crossings);
    if (err >= 0 && computed.threshold.crossed) {
        say_crossed(o->threshold, &computed);
        err = DJ_EXIT_THRESHOLD;
    }
    dj_mrc_report_free(&computed);
    return err;
}

static int compute(dj_context *context, dj_mrc_options *o, const dj_arguments *arguments)
{
    dj_profile *profile = NULL;
    dj_sizes chosen = {.how = DJ_SIZES_DEFAULT};
    bool several = false, timed = false;
    int err = dj_windows_parse(context, &o->windows, &timed);
    o->trace.source.clock |= timed;
    if (!err)
        err = dj_export_check(context, &o->export, &o->output);
    if (!err && o->follow) {
        dj_filters_require(&o->filters, &o->trace.source);
        return dj_mrc_follow(context, o, arguments);
    }
    if (!err)
        err = dj_mrc_is_of_profiles(context, o, arguments, &several);
    if (err)
        return err;
    dj_filters_require(&o->filters, &o->trace.source);
    if (several)
        return dj_mrc_print_profiles(context, o, arguments);
    err = dj_mrc_profile(context, o, arguments, &chosen, &profile);
    if (profile && err != DJ_ERR_USAGE) {
        int reported = report(context, o, profile, &chosen);
        err = err ? err : reported;
    }
    dj_sizes_free(&chosen);
    dj_profile_destroy(profile);
    return err;
}

static int run(dj_context *context, void *values, const dj_arguments *arguments)
{
    dj_mrc_options *o = values;
    int err = dj_fail_if_parse(context, &o->fail_if, false);
    if (!err)
        err = dj_caches_check(context, &o->caches);
    if (!err)
        err = compute(context, o, arguments);
    dj_fail_if_free(&o->fail_if);
    return err;
}

static const dj_example examples[] = {
    {"deja mrc app.trace", "Plots the curve, with this machine's caches marked."},
    {"deja mrc --sizes 1000,2000,5000 OLTP.lis", "Prints the misses at three sizes, in blocks."},
    {"deja mrc --export svg -o curves.svg monday.json tuesday.json",
     "Draws the curves of two saved profiles in one chart."},
    {"deja mrc --sizes 32K,1M --ways 8 app.trace", "Predicts set-associative caches, by Smith's formula."},
    {"deja mrc --simulate fifo --ways 4 --sizes 512,1024 app.trace",
     "Simulates caches that evict the oldest block (first in, first out)."},
    {"deja mrc --sizes 1G,10G cdn.trace",
     "Prints request and byte miss ratios at capacities in bytes, for requests with sizes."},
    {"tail -f requests.log | deja mrc --follow=60 --engine aet --format text -",
     "Every minute, prints the curves of the last minute and of all requests so far, in fixed memory."},
    {"deja mrc --threshold 32K:0.05 profile.json",
     "For scripts: exits with status 1 if the miss ratio of a saved profile exceeds 5%."},
    {NULL, NULL},
};

const dj_command dj_command_mrc = {
    .name = "mrc",
    .summary = "predict the miss ratio of every cache size",
    .usage = "[options] FILE... | PROFILE.json...",
    .description = "Computes the misses of a fully associative LRU cache of every size, from one pass over a "
                   "trace or from "
                   "saved profiles. The first access to a block always misses. Marks the caches of this "
                   "machine, or those "
                   "of --caches, with the misses predicted at their size and associativity.",
    .details =
        "A profile that was saved with --bins exact is exact at all sizes; one with other bins is exact at "
        "the "
        "ends of its bins, and an upper bound between them. The curves of several profiles are drawn in one "
        "chart, as are those of several block sizes and of simulated policies; the table then has a column "
        "for "
        "each profile.\n\n"
        "Set-associative caches are predicted by Smith's formula, which assumes that blocks are spread "
        "evenly "
        "over the sets, or simulated.\n\n"
        "If requests have sizes (key traces with a size column), a second pair of curves is over the "
        "capacity "
        "in bytes: the requests and the bytes that miss. They need an engine that computes byte distances, "
        "which is slower. To skip them, use --sizes with plain numbers only, or --engine fast.",
    .examples = examples,
    .options_bytes = sizeof(dj_mrc_options),
    .list_options = list_options,
    .run = run,
};
