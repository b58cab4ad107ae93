// SPDX-License-Identifier: MIT
#include <deja/deja.h>

#include <string.h>

#include "cli/measure.h"
#include "cli/saved_profile.h"
#include "cli/verbs/mrc.h"
#include "engine/choice.h"

static int is_profile(dj_context *context, const dj_mrc_options *o, const dj_arguments *arguments, bool *out)
{
    *out = !o->trace.source.format && arguments->count == 1;
    return *out ? dj_saved_profile_is(context, arguments->items[0], out) : DJ_OK;
}

static int load(dj_context *context, const dj_mrc_options *o, const char *path, dj_sizes *sizes,
                dj_profile **out)
{
    if (o->simulate)
        return dj_fail(context, DJ_ERR_USAGE, "%s: --simulate needs the trace, not its profile", path);
    if (o->trace.block || o->trace.split || o->trace.no_split || o->trace.engine)
        return dj_fail(context, DJ_ERR_USAGE,
                       "%s: --block, --split, --no-split and --engine do not apply to a saved profile; "
                       "analyze the trace "
                       "again",
                       path);
    const char *option = dj_engine_option_given(o->trace.engine_values);
    if (option)
        return dj_fail(context, DJ_ERR_USAGE,
                       "%s: --%s does not apply to a saved profile; analyze the trace again", path, option);
    const char *given = o->windows.text ? "--windows" : dj_filters_given(&o->filters);
    if (given)
        return dj_fail(context, DJ_ERR_USAGE,
                       "%s: %s does not apply to a saved profile; analyze the trace again", path, given);
    int err = dj_saved_profile_load(context, NULL, path, out);
    if (err)
        return err;
    const dj_lane_profile *lane = &(*out)->lanes[0];
    err = dj_sizes_parse(context, o->sizes, (*out)->provenance.unit_bytes > 0 ? lane->id.block_bytes : 0,
                         dj_lane_byte_distance(lane) && dj_lane_byte_weight(lane), sizes);
    return err;
}

// Sizes to simulate when the user lists none: the curve is not known yet.
static const uint64_t simulated_sizes[] = {16, 64, 256, 1024, 4096, 16384, 65536, 262144};

static int add_simulation(dj_context *context, const dj_mrc_options *o, const dj_sizes *sizes,
                          dj_simulate_options *options, dj_observer_list *list)
{
    if (sizes->how == DJ_SIZES_ALL)
        return dj_fail(context, DJ_ERR_USAGE, "--simulate needs a list of sizes, not --sizes all");
    bool listed = sizes->how == DJ_SIZES_LIST;
    if (listed && sizes->block_count == 0)
        return dj_fail(context, DJ_ERR_USAGE, "--simulate needs sizes in blocks");
    *options = (dj_simulate_options){.policy = (enum dj_policy)(o->simulate - 1),
                                     .ways = o->ways,
                                     .sizes = listed ? sizes->blocks : simulated_sizes,
                                     .size_count = listed ? sizes->block_count
                                                          : sizeof simulated_sizes / sizeof *simulated_sizes,
                                     .hash = o->hash_sets};
    return dj_observer_list_add(context, list, "simulate", options);
}

// Few engines compute byte distances, and slowly. They are computed if the user
// gives a size in bytes, or gives no sizes and no engine that cannot.
static bool wants_byte_curve(const dj_mrc_options *o, const dj_plan *plan, const dj_sizes *sizes)
{
    if (sizes->byte_count > 0 || o->threshold)
        return true;
    bool any_engine = !plan->engine.named && plan->engine.threads < 2;
    return sizes->how != DJ_SIZES_LIST && (any_engine || (plan->engine.engine->can & DJ_CAN_WEIGHTS));
}

static int measure(dj_context *context, const dj_mrc_options *o, const dj_arguments *arguments,
                   dj_source *source, const dj_plan *plan, dj_sizes *sizes, dj_profile **out)
{
    const dj_source_info *info = dj_source_get_info(source);
    bool has_sizes =
        info->kind == DJ_CLASS_KEYS && (info->columns & DJ_COLUMN_SIZE) && plan->block_bytes == 1;
    dj_observer_list observers = {0};
    dj_simulate_options simulate;
    int err = dj_sizes_parse(context, o->sizes, plan->size_block, has_sizes, sizes);
    if (!err && has_sizes && wants_byte_curve(o, plan, sizes))
        err = dj_observer_list_add(context, &observers, "bytes", NULL);
    if (!err && o->simulate)
        err = add_simulation(context, o, sizes, &simulate, &observers);
    if (!err)
        err = dj_windows_observe(context, &o->windows, &observers);
    dj_request request = {.blocks = &plan->block_bytes,
                          .block_count = 1,
                          .observers = observers.items,
                          .observer_count = observers.count};
    dj_trace_request(&o->trace, arguments, &request);
    dj_filters_apply(&o->filters, &request);
    if (!err)
        err = dj_measure_with_progress(context, source, &request, out);
    dj_observer_list_free(&observers);
    return err;
}

// The format has a size column, but it may be empty in this trace.
static int drop_empty_byte_curve(dj_context *context, const dj_sizes *sizes, dj_profile *profile)
{
    if (profile->bytes > 0)
        return DJ_OK;
    dj_lane_drop_section(&profile->lanes[0], &dj_section_bytes);
    if (sizes->byte_count > 0)
        return dj_fail(context, DJ_ERR_USAGE,
                       "--sizes: a size is in bytes, but the trace does not contain the sizes of its keys");
    return DJ_OK;
}

int dj_mrc_profile(dj_context *context, const dj_mrc_options *o, const dj_arguments *arguments,
                   dj_sizes *sizes, dj_profile **out)
{
    dj_source *source = NULL;
    dj_plan plan;
    if (o->ways > 0 && o->sizes && strcmp(o->sizes, "all") == 0)
        return dj_fail(context, DJ_ERR_USAGE, "--ways needs a list of sizes or log:N, not --sizes all");
    bool saved;
    int err = is_profile(context, o, arguments, &saved);
    if (err || saved)
        return err ? err : load(context, o, arguments->items[0], sizes, out);
    err = dj_trace_open(context, &o->trace, arguments, &source, &plan);
    if (err)
        return err;
    err = measure(context, o, arguments, source, &plan, sizes, out);
    dj_source_close(source);
    if (*out) {
        int dropped = drop_empty_byte_curve(context, sizes, *out);
        err = dropped ? dropped : err;
    }
    return err;
}
