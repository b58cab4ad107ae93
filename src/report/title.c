// SPDX-License-Identifier: MIT
// The head of every report: what was measured and how.
#include <deja/engine.h>
#include <deja/sample.h>
#include <deja/sharing.h>
#include <deja/tracing.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/human.h"
#include "base/tracers.h"
#include "report/parts.h"

const char *dj_name_inputs(dj_document *document, const dj_provenance *from)
{
    enum { NAMED = 3 };
    const char *text = from->input_count > 0 ? from->inputs[0] : "profile";
    for (size_t i = 1; i < from->input_count && i < NAMED; i++)
        text = dj_document_format(document, "%s, %s", text, from->inputs[i]);
    if (from->input_count > NAMED)
        return dj_document_format(document, "%s and %zu more", text, from->input_count - NAMED);
    return dj_document_copy(document, text);
}

const char *dj_name_blocks(dj_document *document, const dj_profile *profile, const dj_lane_profile *lane)
{
    const dj_provenance *from = &profile->provenance;
    char figure[DJ_HUMAN_BYTES];
    if (from->unit_bytes > 0)
        return dj_document_format(document, "blocks of %s", dj_human_bytes(figure, lane->id.block_bytes));
    if (lane->id.block_bytes > 1)
        return dj_document_format(document, "blocks of %s %ss", dj_human_count(figure, lane->id.block_bytes),
                                  from->unit);
    return dj_document_format(document, "%ss", from->unit);
}

const char *dj_name_bytes(dj_document *document, const dj_profile *profile, uint64_t blocks)
{
    char figure[DJ_HUMAN_BYTES];
    uint64_t block = profile->lanes[0].id.block_bytes;
    if (profile->provenance.unit_bytes == 0 || block == 0 || blocks > UINT64_MAX / block)
        return "";
    return dj_document_copy(document, dj_human_bytes(figure, blocks * block));
}

const char *dj_name_distinct(dj_document *document, const dj_profile *profile)
{
    const char *unit = profile->provenance.unit;
    // Only accessed elements are counted, so "distinct" would add nothing.
    return dj_document_format(document, strcmp(unit, "element") == 0 ? "%ss" : "distinct %ss", unit);
}

const char *dj_name_rest(dj_document *document, size_t more, double part, double whole, const char *measure)
{
    char count[DJ_HUMAN_BYTES], share[DJ_HUMAN_BYTES];
    if (more == 0)
        return NULL;
    return dj_document_format(document, "… and %s more, %s of the %s", dj_human_count(count, more),
                              dj_human_share(share, part, whole), measure);
}

static void add_alarm(dj_document *document, const char *what, const char *why)
{
    document->mark = document->mark ? dj_document_format(document, "%s %s", document->mark, what) : what;
    dj_node *node = dj_document_say(document, DJ_TEXT_ALARM, 0, "%s", what);
    dj_text_add(document, &node->text, DJ_STYLE_PLAIN, DJ_FIT_WHOLE, " %s", why);
}

// Which accesses are counted, unless all are, and what has its own LRU stack.
static void add_selection(dj_document *document, const dj_profile *profile)
{
    const dj_lane_profile *lane = &profile->lanes[0];
    const dj_sample *sample = dj_lane_sample(lane);
    char counted[DJ_HUMAN_BYTES], read[DJ_HUMAN_BYTES];
    if (profile->provenance.selection && *profile->provenance.selection)
        dj_document_say(document, DJ_TEXT_PROVENANCE, 0, "counted: %s", profile->provenance.selection);
    if (*dj_lane_filter(lane))
        dj_document_say(document, DJ_TEXT_PROVENANCE, 0, "counted: %s (%s of %s accesses)",
                        dj_lane_filter(lane),
                        dj_human_count(counted, sample ? sample->accesses : lane->accesses),
                        dj_human_count(read, profile->accesses));
    if (*dj_lane_partition(lane))
        dj_document_say(document, DJ_TEXT_PROVENANCE, 0, "each %s has its own LRU stack",
                        dj_lane_partition(lane));
}

// Whether a program was run, rather than a trace read.
static bool is_run(const dj_provenance *from)
{
    return dj_tracer_find(from->format) != NULL;
}

// Engine options and sampling; "" for the defaults.
static const char *name_choices(dj_document *document, const dj_profile *profile)
{
    const dj_provenance *from = &profile->provenance;
    const char *text = "";
    if (from->engine_options && *from->engine_options)
        text = dj_document_format(document, " (%s)", from->engine_options);
    if (dj_lane_tracing(&profile->lanes[0]))
        text = dj_document_format(
            document, is_run(from) ? "%s · traced: %.3g%% of the run" : "%s · bursts: %.3g%% of the trace",
            text, 100 * from->sampling);
    else if (from->sampling > 0 && from->sampling < 1)
        text = dj_document_format(document, "%s · sampled: %.4g%% of the %ss", text, 100 * from->sampling,
                                  from->unit);
    return text;
}

// Whether the numbers depend on the order in which threads made their accesses.
static bool depends_on_order(const dj_profile *profile)
{
    const char *order = profile->provenance.thread_order;
    return order && *order && strcmp(dj_lane_partition(&profile->lanes[0]), "thread") != 0;
}

static const char *name_exactness(const dj_profile *profile)
{
    if (!profile->provenance.exact)
        return "ESTIMATE";
    return dj_profile_sharing(profile) ? "exact for this order"
           : depends_on_order(profile) ? "exact for this order of threads"
                                       : "exact";
}

static void add_thread_order(dj_document *document, const dj_profile *profile)
{
    const char *order = profile->provenance.thread_order;
    const dj_sharing *sharing = dj_profile_sharing(profile);
    if (order && *order && !(sharing && strcmp(order, sharing->order) == 0))
        dj_document_say(document, DJ_TEXT_PROVENANCE, 0, "thread order: %s", order);
    if (depends_on_order(profile) && !sharing)
        dj_document_say(document, DJ_TEXT_PROVENANCE, 0,
                        "all threads share one cache; 'deja concurrent' measures other orders and caches");
}

void dj_add_command(dj_document *document, const char *version, const char *command)
{
    const char *typed = command ? command : "";
    dj_document_say(document, DJ_TEXT_COMMAND, 0, "deja %s%s%s", version, *typed ? ": " : "", typed);
}

// Which caches bursts know; "": none.
static const char *name_head(dj_document *document, const dj_provenance *from, const dj_sample *sample)
{
    char head[DJ_HUMAN_BYTES], bursts[DJ_HUMAN_BYTES];
    if (sample->head == 0)
        return "";
    return dj_document_format(document, "caches below %s %ss are known from %s bursts in time",
                              dj_human_count(head, sample->head), from->unit,
                              dj_human_count(bursts, sample->bursts));
}

// Of a sample.
static const char *name_reach(dj_document *document, const dj_provenance *from, const dj_sample *sample)
{
    enum { FEW = 1000, REACH = 64 }; // blocks of the sample
    const uint64_t least = (uint64_t)REACH << sample->weight_log2;
    const char *head = name_head(document, from, sample);
    char blocks[DJ_HUMAN_BYTES], reach[DJ_HUMAN_BYTES];
    dj_human_count(blocks, sample->blocks);
    dj_human_count(reach, least);
    if (sample->blocks < FEW)
        return dj_document_format(
            document, "from a sample of only %s %s%s: its error is not reliable; raise the rate%s%s", blocks,
            from->unit, sample->blocks == 1 ? "" : "s", *head ? ". Only " : "", head);
    const char *fell = sample->memory == 0 || sample->first_log2 == sample->weight_log2
                           ? ""
                           : dj_document_format(document, ", after its rate fell from 1 in %llu to 1 in %llu",
                                                1ULL << sample->first_log2, 1ULL << sample->weight_log2);
    if (!*head)
        return dj_document_format(
            document, "from a sample of %s %ss%s; distances and caches below %s %ss are out of its reach",
            blocks, from->unit, fell, reach, from->unit);
    if (sample->head >= least)
        return dj_document_format(document, "from a sample of %s %ss%s; %s", blocks, from->unit, fell, head);
    return dj_document_format(document,
                              "from a sample of %s %ss%s; %s; between there and %s, the error is large",
                              blocks, from->unit, fell, head, reach);
}

static const char *name_error(dj_document *document, const dj_profile *profile)
{
    const dj_provenance *from = &profile->provenance;
    char exact[DJ_HUMAN_BYTES];
    if (dj_lane_tracing(&profile->lanes[0]))
        return dj_name_bursts(document, profile);
    if (dj_lane_sample(&profile->lanes[0]))
        return name_reach(document, from, dj_lane_sample(&profile->lanes[0]));
    if (from->error_bound > 0)
        return dj_document_format(document, "miss ratios are within %.3g percentage points of the true ones",
                                  100 * from->error_bound);
    if (from->distance_error > 0)
        return dj_document_format(document, "distances are too short by at most %.3g%%, and exact below %s",
                                  100 * from->distance_error,
                                  dj_human_count(exact, (uint64_t)ceil(1 / from->distance_error - 1e-6)));
    const dj_engine_ops *engine = dj_engine_find(from->engine);
    return engine ? dj_document_format(document, "error bound unknown; engine %s: %s", engine->name,
                                       engine->summary)
                  : "error bound unknown";
}

void dj_add_alarms(dj_document *document, const dj_profile *profile)
{
    const dj_provenance *from = &profile->provenance;
    if (!from->exact)
        add_alarm(document, "ESTIMATE", name_error(document, profile));
    if (from->partial)
        add_alarm(document, "PARTIAL", from->partial_reason);
    if (from->missing && *from->missing)
        add_alarm(document, "MISSING", from->missing);
}

void dj_add_title(dj_document *document, const dj_profile *profile)
{
    const dj_provenance *from = &profile->provenance;
    bool blocks = strcmp(from->unit, "block") == 0;
    dj_document_say(document, DJ_TEXT_TITLE, 0, "%s", dj_name_inputs(document, from));
    dj_document_say(document, DJ_TEXT_PROVENANCE, 0, "%s%s%s%s · engine %s%s · %s", from->format,
                    *from->format ? " · " : "", dj_name_blocks(document, profile, &profile->lanes[0]),
                    !blocks       ? ""
                    : from->split ? " · split at block boundaries"
                                  : " · one block per access",
                    from->engine, name_choices(document, profile), name_exactness(profile));
    add_thread_order(document, profile);
    if (*from->statements)
        dj_document_say(document, DJ_TEXT_PROVENANCE, 0, "statements: %s", from->statements);
    add_selection(document, profile);
    dj_add_budget(document, dj_lane_tracing(&profile->lanes[0]));
    dj_add_command(document, from->version, from->command);
    dj_add_alarms(document, profile);
}
