// SPDX-License-Identifier: MIT
#include "measure/measure.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "base/tracers.h"
#include "measure/filters.h"
#include "measure/schedules.h"
#include "measure/sharing.h"
#include "measure/threads.h"
#include "trace/source/read_ahead.h"

static dj_engine_choice choose_engine(const dj_measurement *m, const dj_pipeline_config *config)
{
    dj_progress progress;
    dj_source_progress(m->source, &progress);
    dj_engine_task task = {.needs = (config->summarize ? DJ_CAN_SUMMARY : 0) |
                                    (m->sharing ? DJ_CAN_INVALIDATE : 0) |
                                    (dj_filters_limit_memory(m) ? DJ_CAN_REMOVE : 0),
                           .blocks = config->blocks,
                           .block_count = config->block_count,
                           .summarize = config->summarize,
                           .partitioned = m->partition != DJ_PARTITION_NONE || m->sharing,
                           .while_it_runs = m->is_due != NULL,
                           .file_bytes = progress.bytes_total,
                           .cpus = dj_machine_cpus()};
    for (size_t i = 0; i < config->observer_count; i++)
        task.needs |= dj_need_of_engine(config->observers[i].ops->needs);
    return dj_engine_choose(&m->engine, &task);
}

static int replace(dj_context *context, char **text, const char *by)
{
    char *copy = strdup(by);
    if (!copy)
        return dj_fail_memory(context, "a profile", 0);
    free(*text);
    *text = copy;
    return DJ_OK;
}

static int add_provenance(dj_context *context, const dj_measurement *m, bool part, dj_provenance *from)
{
    const dj_source_info *info = dj_source_get_info(m->source);
    int err = replace(context, &from->command, m->command_line);
    if (!err)
        err = replace(context, &from->format, info->format);
    if (!err)
        err = replace(context, &from->unit, m->unit);
    if (!err && from->thread_order && *from->thread_order)
        err = replace(context, &from->thread_order, dj_tracer_thread_order(info->tracer));
    if (!err && m->attribute) {
        free(from->selection);
        from->selection = NULL;
        err = dj_attribute_selection(m->attribute, context, part, &from->selection);
    }
    from->unit_bytes = info->unit_bytes;
    from->inputs = calloc(m->input_count + 1, sizeof *from->inputs);
    if (!err && !from->inputs)
        err = dj_fail_memory(context, "a profile", 0);
    for (size_t i = 0; !err && i < m->input_count; i++) {
        err = replace(context, &from->inputs[i], m->inputs[i]);
        from->input_count += !err;
    }
    return err;
}

// In a trace of blocks of unknown size, sizes are numbers of blocks.
static bool has_no_bytes(const dj_measurement *m)
{
    const dj_source_info *info = dj_source_get_info(m->source);
    return info->kind != DJ_CLASS_KEYS && info->unit_bytes == 0;
}

const char *dj_measurement_name(const dj_measurement *m)
{
    return m->input_count ? m->inputs[0] : dj_source_name(m->source);
}

// If the selected part of the run made no accesses, the profile is empty, and a warning explains it.
static int explain_empty(dj_context *context, const dj_measurement *m, const dj_profile *profile)
{
    const char *why = m->attribute ? dj_attribute_why_nothing(m->attribute) : NULL;
    if (why && profile->accesses == 0 && !dj_attribute_is_blind(m->attribute)) {
        dj_warn(context, "%s: %s", dj_measurement_name(m), why);
        return DJ_OK;
    }
    if (profile->accesses > 0)
        return dj_fail(context, DJ_ERR_INPUT, "%s: none of the %" PRIu64 " accesses read counts (%s)",
                       dj_measurement_name(m), profile->accesses, dj_lane_filter(&profile->lanes[0]));
    return dj_fail(context, DJ_ERR_INPUT, "%s: %s", dj_measurement_name(m), why ? why : "no accesses");
}

// `source` is that of the pipeline.
static int finish(dj_context *context, const dj_measurement *m, const dj_source *source,
                  dj_pipeline *pipeline, dj_profile **out)
{
    dj_profile *profile = NULL;
    int err = m->attribute ? dj_attribute_check_symbols(m->attribute, context, false) : DJ_OK;
    if (!err)
        err = dj_pipeline_finish(pipeline, context, &profile);
    if (!err)
        err = add_provenance(context, m, false, &profile->provenance);
    if (!err && has_no_bytes(m))
        profile->bytes = 0;
    if (!err && profile->lanes[0].accesses == 0)
        err = explain_empty(context, m, profile);
    if (!err && m->sharing)
        err = dj_sharing_name(context, m->sharing, source, profile);
    if (!err && m->attribute)
        err = dj_attribute_finish(m->attribute, context, profile);
    if (err)
        dj_profile_destroy(profile);
    else
        *out = profile;
    return err;
}

// If a profile cannot be made, the run continues: the next one may succeed.
static void keep_so_far(dj_context *context, const dj_measurement *m, dj_pipeline *pipeline)
{
    dj_profile *profile = NULL;
    if (finish(context, m, m->source, pipeline, &profile) == DJ_OK)
        m->keep(m->user, profile);
}

// The stages between the source and the pipeline.
static dj_source *staged_source(const dj_measurement *m, const dj_thread_order *threads)
{
    return threads->source ? threads->source
           : m->staged     ? m->staged
           : m->attribute  ? dj_attribute_source(m->attribute)
                           : m->source;
}

// Decodes and locates the accesses of a program on a separate thread while the engine works.
static int run(dj_context *context, const dj_measurement *m, dj_thread_order *threads, dj_pipeline *pipeline)
{
    dj_source *ahead = NULL;
    bool separate = m->ahead && !m->is_due && dj_machine_cpus() > 1;
    const dj_store_progress progress = {m->on_progress, m->user};
    int err = m->sharing && m->sharing->by_thread
                  ? dj_thread_order_begin(context, m->sharing, &progress, staged_source(m, threads), threads)
                  : DJ_OK;
    dj_source *source = staged_source(m, threads);
    if (!err && separate)
        err = dj_read_ahead_source(context, source, &ahead);
    bool paused = true;
    while (!err && paused) {
        err = dj_pipeline_run(pipeline, context, ahead ? ahead : source);
        paused = dj_pipeline_is_paused(pipeline);
        if (!err && paused)
            keep_so_far(context, m, pipeline);
    }
    dj_source_close(ahead);
    return err;
}

static bool has_observer(const dj_measurement *m, const char *name)
{
    for (size_t i = 0; i < m->observer_count; i++)
        if (strcmp(m->observers[i].ops->name, name) == 0)
            return true;
    return false;
}

// The attribution's observer comes first.
static int gather_observers(dj_context *context, const dj_measurement *m, bool places,
                            const dj_sharing_plan *sharing, dj_observer_choice **out, size_t *count)
{
    dj_observer_choice *all = calloc(m->observer_count + 9, sizeof *all);
    if (!all)
        return dj_fail_memory(context, "the observers", 0);
    *count = 0;
    if (places)
        all[(*count)++] = dj_attribute_observer(m->attribute);
    for (size_t i = 0; i < m->observer_count; i++)
        all[(*count)++] = m->observers[i];
    if (places && dj_attribute_has_offsets(m->attribute))
        all[(*count)++] = (dj_observer_choice){dj_observer_find("elements"), all[0].options};
    if (places && has_observer(m, "tracing"))
        all[(*count)++] = (dj_observer_choice){dj_observer_find("spread"), all[0].options};
    if (places && dj_filters_sample(m))
        all[(*count)++] = (dj_observer_choice){dj_observer_find("slices"), all[0].options};
    if (dj_filters_sample(m)) {
        all[(*count)++] = (dj_observer_choice){dj_observer_find("sample"), NULL};
        all[(*count)++] = (dj_observer_choice){dj_observer_find("bursts"), NULL};
    }
    if (m->sharing)
        all[(*count)++] = (dj_observer_choice){dj_observer_find("sharing"), &sharing->options};
    if (m->sharing && places)
        all[(*count)++] = (dj_observer_choice){dj_observer_find("sharing-places"), NULL};
    if (m->sharing && m->sharing->predictable)
        all[(*count)++] = (dj_observer_choice){dj_observer_find("joint"), &sharing->joint};
    *out = all;
    return DJ_OK;
}

// The band of a sample is that of the result only if the engine adds no error, or one that is known.
static int check_engine(dj_context *context, const dj_measurement *m, const dj_engine_ops *engine)
{
    if (!dj_filters_sample(m) || engine->can & DJ_CAN_EXACT || engine->distance_error)
        return DJ_OK;
    return dj_fail(
        context, DJ_ERR_UNSUPPORTED,
        "the error of a sample cannot be known with engine %s, whose own error is unknown; leave out "
        "--sample or choose another --engine",
        engine->name);
}

// Only this tracer reports what loops do.
static bool knows_loops(const dj_source *source)
{
    const char *tracer = dj_source_get_info(source)->tracer;
    return tracer && strcmp(tracer, "valgrind") == 0;
}

static int begin(dj_context *context, const dj_measurement *m, bool summarize, dj_pipeline **out)
{
    dj_observer_choice *observers = NULL;
    dj_filter_choice *filters = NULL;
    dj_sharing_plan sharing = {0};
    bool places = m->attribute && dj_attribute_has_places(m->attribute);
    dj_lane_group group = {.blocks = m->blocks, .block_count = m->block_count, .partition = m->partition};
    dj_pipeline_config config = {.blocks = m->blocks,
                                 .block_count = m->block_count,
                                 .groups = &group,
                                 .group_count = 1,
                                 .split = m->split,
                                 .tag = places ? DJ_TAG_PLACE : DJ_TAG_SITE,
                                 .summarize = summarize,
                                 .first_times = places && !m->sharing && knows_loops(m->source),
                                 .on_progress = m->on_progress,
                                 .pause = m->is_due,
                                 .user = m->user};
    if (summarize && m->partition != DJ_PARTITION_NONE)
        return dj_fail(context, DJ_ERR_UNSUPPORTED,
                       "--each %s needs the complete trace in order and cannot be joined from parts",
                       dj_partition_name(m->partition));
    int err = dj_filters_choose(context, m, &filters, &group);
    if (!err)
        err = m->sharing ? dj_sharing_plan_make(context, m->sharing, &group,
                                                places ? dj_attribute_places(m->attribute) : NULL, &sharing)
                         : DJ_OK;
    if (!err)
        err = gather_observers(context, m, places, &sharing, &observers, &config.observer_count);
    config.observers = observers;
    if (m->sharing) {
        config.groups = sharing.groups;
        config.group_count = sharing.group_count;
    }
    if (!err) {
        dj_engine_choice chosen = choose_engine(m, &config);
        config.engine = chosen.engine;
        config.engine_options = chosen.options;
        // Batches in flight between threads need memory.
        const bool limited = dj_filters_limit_memory(m);
        config.observer_threads = limited ? 0 : chosen.observer_threads;
        dj_source_use_threads(m->source, limited ? 0 : chosen.reading_threads);
        err = check_engine(context, m, chosen.engine);
    }
    if (!err && summarize)
        err = dj_summary_check(context, observers, config.observer_count);
    if (!err)
        err = dj_pipeline_create(context, &config, out);
    dj_sharing_plan_free(&sharing);
    free(observers);
    free(filters);
    return err;
}

static bool has_schedules(const dj_measurement *m)
{
    return m->sharing && m->sharing->by_thread && m->sharing->interleave.order == DJ_INTERLEAVE_SCHEDULE;
}

static void end_reading(const dj_measurement *m)
{
    if (m->after_reading)
        m->after_reading(m->user);
}

int dj_measurement_run(dj_context *context, const dj_measurement *m, dj_profile **out)
{
    dj_pipeline *pipeline = NULL;
    dj_thread_order threads = {0};
    *out = NULL;
    int err = begin(context, m, false, &pipeline);
    if (err)
        return err;
    err = run(context, m, &threads, pipeline);
    bool more = !err && has_schedules(m);
    if (!more)
        end_reading(m);
    const dj_source *source = staged_source(m, &threads);
    if (!err) {
        err = finish(context, m, source, pipeline, out);
    } else if (err == DJ_ERR_INPUT || err == DJ_ERR_STOPPED) {
        char *why = strdup(dj_context_message(context));
        int ended = why ? finish(context, m, source, pipeline, out) : dj_fail_memory(context, "an error", 0);
        if (ended == DJ_OK || ended == DJ_ERR_INPUT)
            (void)dj_fail(context, (enum dj_err)err, "%s", why);
        free(why);
        err = ended && ended != DJ_ERR_INPUT ? ended : err;
    }
    dj_pipeline_destroy(pipeline);
    if (!err && more)
        err = dj_schedules_measure(context, m, threads.stored, source, *out);
    if (more)
        end_reading(m);
    dj_thread_order_end(&threads);
    if (err && err != DJ_ERR_INPUT && err != DJ_ERR_STOPPED) {
        dj_profile_destroy(*out);
        *out = NULL;
    }
    return err;
}

int dj_measurement_run_part(dj_context *context, const dj_measurement *m, dj_part part, dj_summary **out)
{
    dj_pipeline *pipeline = NULL;
    dj_summary *summary = NULL;
    *out = NULL;
    int err = begin(context, m, true, &pipeline);
    if (err)
        return err;
    dj_thread_order none = {0};
    err = run(context, m, &none, pipeline);
    end_reading(m);
    if (err) {
        dj_pipeline_destroy(pipeline);
        return err;
    }
    err = m->attribute ? dj_attribute_check_symbols(m->attribute, context, true) : DJ_OK;
    if (err)
        dj_pipeline_destroy(pipeline);
    else
        err = dj_summary_create(context, pipeline, part, &summary);
    if (!err)
        err = add_provenance(context, m, true, &summary->provenance);
    if (!err)
        err = replace(context, &summary->provenance.thread_order,
                      dj_tracer_thread_order(dj_source_get_info(m->source)->tracer));
    if (!err && m->attribute && dj_attribute_has_places(m->attribute))
        err = dj_attribute_names(m->attribute, context, &summary->names, &summary->name_bytes);
    if (err) {
        dj_summary_destroy(summary);
        return err;
    }
    summary->no_bytes = has_no_bytes(m);
    summary->numbers_devices = dj_source_get_info(m->source)->numbers_devices;
    *out = summary;
    return DJ_OK;
}
