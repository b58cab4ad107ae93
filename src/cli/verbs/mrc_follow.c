// SPDX-License-Identifier: MIT
// `deja mrc --follow`: the curves of a trace that grows, every few seconds.
#include <deja/deja.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/verbs/mrc.h"
#include "model/curve/since.h"
#include "report/follow.h"

#define EVERY_SECONDS 10
#define EVERY_LEAST 0.01
#define EVERY_MOST 1e6
#define SECOND_NS 1e9

// Between the sizes that are printed if the user lists none.
enum { SIZE_FACTOR = 4, MOST_SIZES = 34 };

typedef struct follower {
    dj_context *context;
    const dj_mrc_options *options;
    const dj_plan *plan;
    dj_output *output;
    double every; // seconds
    double start, last, next;
    uint64_t number;    // of reports
    dj_profile *before; // of the last report
    int failed;         // a report
    bool owed, noted;   // a report was due and has not come; the user knows
    bool in_fixed_memory;
} follower;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / SECOND_NS;
}

// What a report is about; sizes and the names of caches.
typedef struct rows {
    uint64_t *sizes;
    const char **names;
    size_t count;
} rows;

static void free_rows(rows *r)
{
    free(r->sizes);
    free(r->names);
}

static int default_sizes(dj_context *context, const dj_lane_profile *lane, dj_sizes *out)
{
    out->blocks = calloc(MOST_SIZES, sizeof *out->blocks);
    if (!out->blocks)
        return dj_fail_memory(context, "cache sizes", 0);
    out->how = DJ_SIZES_LIST;
    uint64_t size = 1;
    while (size < lane->distinct && size <= UINT64_MAX / SIZE_FACTOR) {
        out->blocks[out->block_count++] = size;
        size *= SIZE_FACTOR;
    }
    out->blocks[out->block_count++] = lane->distinct;
    return DJ_OK;
}

// Keeps the sizes in increasing order.
static void add_cache(rows *r, const dj_cache_shape *cache)
{
    size_t at = 0;
    while (at < r->count && r->sizes[at] < cache->size_blocks)
        at++;
    if (at == r->count || r->sizes[at] != cache->size_blocks) {
        memmove(r->sizes + at + 1, r->sizes + at, (r->count - at) * sizeof *r->sizes);
        memmove(r->names + at + 1, r->names + at, (r->count - at) * sizeof *r->names);
        r->sizes[at] = cache->size_blocks;
        r->count++;
    }
    r->names[at] = cache->name;
}

static int choose_rows(follower *f, const dj_profile *profile, const dj_caches *caches, rows *out)
{
    dj_sizes sizes = {.how = DJ_SIZES_DEFAULT};
    int err = dj_sizes_parse(f->context, f->options->sizes, f->plan->size_block, false, &sizes);
    if (!err)
        err = sizes.how == DJ_SIZES_DEFAULT ? default_sizes(f->context, &profile->lanes[0], &sizes)
                                            : dj_sizes_resolve(f->context, &sizes, &profile->lanes[0]);
    const size_t most = sizes.block_count + caches->count + 1;
    out->sizes = calloc(most, sizeof *out->sizes);
    out->names = calloc(most, sizeof *out->names);
    if (!err && (!out->sizes || !out->names))
        err = dj_fail_memory(f->context, "cache sizes", most * sizeof *out->sizes);
    if (!err && sizes.block_count > 0)
        memcpy(out->sizes, sizes.blocks, sizes.block_count * sizeof *out->sizes);
    out->count = err ? 0 : sizes.block_count;
    for (size_t i = 0; !err && i < caches->count; i++)
        add_cache(out, &caches->shapes[i]);
    dj_sizes_free(&sizes);
    return err;
}

static int compute_curve(dj_context *context, const dj_follow_report *r, const dj_profile *before,
                         dj_follow_curve *out)
{
    out->points = calloc(r->count + 1, sizeof *out->points);
    out->bands = r->origin.known ? calloc(r->count + 1, sizeof *out->bands) : NULL;
    if (!out->points || (r->origin.known && !out->bands))
        return dj_fail_memory(context, "a miss-ratio curve", r->count * sizeof *out->points);
    return dj_mrc_since(context, r->profile, before, r->sizes, r->count, out->points, out->bands);
}

static void free_curve(dj_follow_curve *curve)
{
    free(curve->points);
    free(curve->bands);
}

static int write_report(follower *f, const dj_follow_report *r)
{
    dj_document *document = NULL;
    int err = DJ_OK;
    if (f->output->json)
        dj_follow_json(r, f->output->file);
    else
        err = dj_document_follow(f->context, r, &document);
    if (document && r->number > 1)
        fputc('\n', f->output->file);
    if (document)
        err = dj_export_render(f->context, &f->options->export, document, NULL, f->output);
    dj_document_destroy(document);
    if (!err && fflush(f->output->file) != 0)
        err = dj_fail(f->context, DJ_ERR_IO, "cannot write"); // dj_output_end knows why
    return err;
}

// Says once that memory is not fixed.
static void note_memory(const dj_profile *profile, bool in_fixed_memory)
{
    const dj_engine_ops *engine = dj_engine_find(profile->provenance.engine);
    if (in_fixed_memory || (engine && engine->can & DJ_CAN_BOUNDED))
        return;
    dj_output_message("note: ", profile->provenance.sampling < 1
                                    ? "memory grows with the number of keys in the sample; --memory or "
                                      "--engine aet needs a fixed amount"
                                    : "memory grows with the number of keys; --memory or --engine aet needs "
                                      "a fixed amount, and --sample less");
}

static int print_report(follower *f, const dj_profile *profile)
{
    const double time = now();
    rows chosen = {0};
    dj_caches caches;
    int err = dj_caches_find(f->context, &f->options->caches, profile, &caches);
    if (!err)
        err = choose_rows(f, profile, &caches, &chosen);
    const uint64_t accesses = profile->lanes[0].accesses;
    dj_follow_report r = {.profile = profile,
                          .number = f->number + 1,
                          .sizes = chosen.sizes,
                          .names = chosen.names,
                          .count = chosen.count,
                          .origin = dj_lane_band_origin(profile, &profile->lanes[0]),
                          .window = {.accesses = accesses - (f->before ? f->before->lanes[0].accesses : 0),
                                     .seconds = time - f->last},
                          .all = {.accesses = accesses, .seconds = time - f->start}};
    if (!err)
        err = compute_curve(f->context, &r, NULL, &r.all);
    if (!err)
        err = compute_curve(f->context, &r, f->before, &r.window);
    if (!err)
        err = write_report(f, &r);
    if (!err && f->number == 0)
        note_memory(profile, f->in_fixed_memory);
    f->number++;
    f->last = time;
    free_curve(&r.all);
    free_curve(&r.window);
    free_rows(&chosen);
    return err;
}

static bool is_due(void *user)
{
    follower *f = user;
    const double time = now();
    if (time < f->next)
        return false;
    while (f->next <= time)
        f->next += f->every;
    if (f->owed && !f->noted) // no profile could be made, perhaps since nothing counts yet
        dj_output_message("note: no report yet: ", dj_context_message(f->context));
    f->noted = f->noted || f->owed;
    f->owed = true;
    return true;
}

static void keep(void *user, dj_profile *profile)
{
    follower *f = user;
    f->owed = false;
    if (!f->failed)
        f->failed = print_report(f, profile);
    if (f->failed)
        dj_context_stop(f->context);
    dj_profile_destroy(f->before);
    f->before = profile;
}

static int check(dj_context *context, const dj_mrc_options *o, double *every)
{
    const char *option = o->ways                                              ? "--ways"
                         : o->simulate                                        ? "--simulate"
                         : o->threshold                                       ? "--threshold"
                         : o->fail_if.typed.count > 0                         ? "--fail-if"
                         : o->windows.text                                    ? "--windows"
                         : o->export.format                                   ? "--export"
                         : o->output.path && strcmp(o->output.path, "-") != 0 ? "-o"
                                                                              : NULL;
    if (option)
        return dj_fail(context, DJ_ERR_USAGE,
                       "%s and --follow cannot be combined; --follow prints to standard output as it goes",
                       option);
    char *end = NULL;
    *every = *o->follow ? strtod(o->follow, &end) : EVERY_SECONDS;
    if (*o->follow && (*end || !(*every >= EVERY_LEAST && *every <= EVERY_MOST)))
        return dj_fail(context, DJ_ERR_USAGE, "--follow: '%s' is not a number of seconds from %g to %g",
                       o->follow, EVERY_LEAST, EVERY_MOST);
    return DJ_OK;
}

static int follow(follower *f, const dj_arguments *arguments, dj_source *source)
{
    dj_profile *profile = NULL;
    dj_request request = {
        .blocks = &f->plan->block_bytes, .block_count = 1, .is_due = is_due, .keep = keep, .user = f};
    dj_trace_request(&f->options->trace, arguments, &request);
    dj_filters_apply(&f->options->filters, &request);
    f->in_fixed_memory = dj_filters_in_fixed_memory(&f->options->filters);
    f->start = f->last = now();
    f->next = f->start + f->every;
    int err = dj_measure_source(f->context, source, &request, &profile);
    if (profile && !f->failed && err != DJ_ERR_USAGE)
        f->failed = print_report(f, profile);
    dj_profile_destroy(profile);
    return f->failed ? f->failed : err;
}

int dj_mrc_follow(dj_context *context, dj_mrc_options *o, const dj_arguments *arguments)
{
    dj_plan plan;
    dj_source *source = NULL;
    dj_sizes sizes = {.how = DJ_SIZES_DEFAULT};
    follower f = {.context = context, .options = o, .plan = &plan};
    int err = check(context, o, &f.every);
    o->trace.source.follow = true;
    if (!err)
        err = dj_trace_open(context, &o->trace, arguments, &source, &plan);
    if (!err)
        err = dj_sizes_parse(context, o->sizes, plan.size_block, false, &sizes); // before anything is read
    dj_sizes_free(&sizes);
    if (!err)
        err = dj_output_open(context, &o->output, &f.output);
    if (!err)
        err = follow(&f, arguments, source);
    dj_profile_destroy(f.before);
    dj_source_close(source);
    if (f.output && (err == DJ_ERR_INPUT || err == DJ_ERR_STOPPED)) { // all reports are complete
        int closed = dj_output_close(context, &f.output);
        return closed ? closed : err;
    }
    return dj_output_end(context, err, &f.output);
}
