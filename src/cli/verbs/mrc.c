// SPDX-License-Identifier: MIT
// deja mrc: miss ratios at all cache sizes.
#include <deja/deja.h>

#include <stdio.h>

#include "cli/verbs/mrc.h"

static const char *const policies[] = {"none", "lru", "fifo", "lfu", NULL};

#define AT(field) offsetof(dj_mrc_options, field)

static const dj_option table[] = {
    {"sizes", 0, DJ_OPTION_TEXT, AT(sizes), "LIST",
     "cache sizes as in 1000,64K,32M: a bare number is blocks, B, K, M, G are bytes; or log:N, N to each "
     "doubling (default log:1), or all, wherever the curve changes",
     NULL},
    {"ways", 0, DJ_OPTION_UINT, AT(ways), "W",
     "also set-associative caches of W ways, by Smith's formula; with --simulate the ways of the simulated "
     "ones",
     NULL},
    {"simulate", 0, DJ_OPTION_CHOICE, AT(simulate), "POLICY",
     "also simulate caches with this policy, access by access, at the sizes listed (16 to 262144 blocks "
     "otherwise)",
     policies},
    {"hash-sets", 0, DJ_OPTION_FLAG, AT(hash_sets), NULL,
     "simulated sets are chosen by a hash of the block, not by the block modulo the sets", NULL},
    {"threshold", 0, DJ_OPTION_TEXT, AT(threshold), "SIZE:RATIO",
     "exit with status 1 when the LRU miss ratio at SIZE is above RATIO, as in 32K:0.1 or 1000:10%", NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static int list_options(dj_context *context, void *values, dj_groups *groups)
{
    dj_mrc_options *o = values;
    int err = dj_groups_add(context, groups, "Curve", table, o);
    if (!err)
        err = dj_caches_list(context, &o->caches, groups);
    if (!err)
        err = dj_reading_list(context, &o->reading, groups);
    if (!err)
        err = dj_forms_list(context, &o->form, 0, "one line for each size; svg draws the curves", groups);
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
    if (document && dj_forms_renderer(&o->form)->all_rows && report->profile->lanes[0].binned)
        dj_output_complain("note: ",
                           "misses are from bins: exact at their ends, at most too high between them");
    if (document)
        err = dj_forms_render(context, &o->form, document, &report->profile->provenance, output);
    dj_document_destroy(document);
    if (!err)
        err = dj_output_close(context, &output);
    dj_output_discard(&output);
    return err;
}

static int report(dj_context *context, const dj_mrc_options *o, const dj_profile *profile, dj_sizes *sizes)
{
    dj_caches caches;
    dj_mrc_report made = {.profile = profile};
    int err = dj_caches_find(context, &o->caches, profile, &caches);
    if (!err)
        err = dj_sizes_settle(context, sizes, &profile->lanes[0]);
    if (!err)
        err = dj_mrc_apply(context, o, profile, sizes, &caches, &made);
    if (!err)
        err = print(context, o, &made, &caches);
    if (!err && made.threshold.crossed) {
        fprintf(stderr, "deja: threshold %s: the miss ratio is %.2f%%\n", o->threshold,
                100 * made.threshold.ratio);
        err = DJ_EXIT_THRESHOLD;
    }
    dj_mrc_report_free(&made);
    return err;
}

static int run(dj_context *context, void *values, const dj_arguments *arguments)
{
    dj_mrc_options *o = values;
    dj_profile *profile = NULL;
    dj_sizes sizes = {.how = DJ_SIZES_DEFAULT};
    int err = dj_forms_check(context, &o->form, &o->output);
    if (err)
        return err;
    dj_filters_ask(&o->filters, &o->reading.source);
    if (dj_mrc_is_of_profiles(o, arguments))
        return dj_mrc_print_profiles(context, o, arguments);
    err = dj_mrc_profile(context, o, arguments, &sizes, &profile);
    if (profile && err != DJ_ERR_USAGE) {
        int reported = report(context, o, profile, &sizes);
        err = err ? err : reported;
    }
    dj_sizes_free(&sizes);
    dj_profile_destroy(profile);
    return err;
}

static const dj_example examples[] = {
    {"deja mrc app.trace", "The curve, with this machine's caches marked."},
    {"deja mrc --sizes 1000,2000,5000 OLTP.lis", "Misses at three sizes, in blocks."},
    {"deja mrc --sizes 32K,1M --ways 8 app.trace", "Set-associative caches, by Smith's formula."},
    {"deja mrc --simulate fifo --ways 4 --sizes 512,1024 app.trace", "What first in, first out would miss."},
    {"deja mrc --sizes 1G,10G cdn.trace",
     "Requests with sizes: request and byte miss ratios at capacities in bytes."},
    {"deja mrc --export svg -o curves.svg monday.json tuesday.json",
     "The curves of two saved profiles in one picture."},
    {"deja mrc --threshold 32K:0.05 profile.json",
     "For scripts: is the miss ratio above 5%? From a saved profile."},
    {NULL, NULL},
};

const dj_command dj_command_mrc = {
    .name = "mrc",
    .summary = "miss ratios at all cache sizes",
    .usage = "[options] FILE... | PROFILE.json...",
    .description = "Computes from one pass over a trace, or from a profile saved by 'deja analyze --json', "
                   "the misses of a fully associative LRU cache at every size; the first access to a block "
                   "always misses. A profile saved with --bins exact gives exact numbers at all sizes, one "
                   "with other bins at the ends of the bins, and at most too many misses between them. "
                   "The curves of several saved profiles are drawn in one chart, and so are those of several "
                   "block sizes and of simulated policies; the table then has a column for each profile.\n\n"
                   "Set-associative caches are predicted by Smith's formula, which takes the blocks to "
                   "fall evenly into the sets, or simulated. This machine's caches (or those of --caches) "
                   "are marked, with the misses predicted at their size and associativity.\n\n"
                   "Where requests have sizes (key traces with a column of sizes), a second pair of curves "
                   "is over the capacity in bytes: the requests and the bytes that miss. It takes an "
                   "engine that can weigh keys, which is slower; --sizes with numbers of keys alone, or "
                   "--engine fast, leave it out.",
    .examples = examples,
    .options_bytes = sizeof(dj_mrc_options),
    .list_options = list_options,
    .run = run,
};
