// SPDX-License-Identifier: MIT
#include "measure/measure.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "trace/ahead.h"

enum {
    OBSERVERS_MOST = 16, // more than any verb asks for
    FILTERS_MOST = 16,   // likewise
    WORDS_ROOM = 256,
    ENGINE_THREADS = 4, // that keep one busy which counts, or one which reads
    COUNTING_MOST = 8,
    READING_MOST = 4,
    LONG_BYTES = 32 << 20, // of files; 4 million accesses where each takes eight bytes
    // A device takes half a second to start, in which each processor does 25 million accesses.
    DEVICE_BYTES = 256 << 20, // of files, for each processor
};

// Block sizes of which each is twice the one before are best answered together.
static bool suits_blocks(const dj_engine_ops *engine, const dj_pipeline_config *config)
{
    return config->summarize || engine->coarser > 0 || config->block_count < 2 ||
           config->blocks[1] / 2 != config->blocks[0];
}

// An engine for long traces is large, and there would be many of them.
static bool suits_partition(const dj_measurement *m, const dj_engine_ops *engine)
{
    return m->partition == DJ_PARTITION_NONE || !engine->for_long;
}

// Whether there is enough to do for several threads, or for a device. What has no size may be short.
static bool is_long(const dj_measurement *m, bool for_device)
{
    dj_progress progress;
    unsigned cpus = dj_machine_cpus();
    dj_source_progress(m->source, &progress);
    if (m->is_due || m->plan->threads != 0)
        return false;
    return for_device ? progress.bytes_total / DEVICE_BYTES >= cpus
                      : progress.bytes_total >= LONG_BYTES && cpus > 1;
}

// Whether the engine is for traces as long as this one. Looking for a device takes time.
static bool suits_length(const dj_measurement *m, const dj_engine_ops *engine)
{
    dj_context *own = NULL; // that there is none is no error
    if (!engine->for_long || !is_long(m, engine->find != NULL))
        return false;
    bool found = !engine->find || (dj_context_create(&own) == DJ_OK && engine->find(own) == DJ_OK);
    dj_context_destroy(own);
    return found;
}

static bool suits_needs(const dj_engine_ops *engine, uint32_t needs)
{
    needs |= DJ_CAN_EXACT; // an estimate is for who asks for it
    return (engine->can & needs) == needs;
}

static void take_engine(const dj_measurement *m, size_t number, dj_pipeline_config *config)
{
    config->engine = dj_engine_get(number);
    config->engine_options = m->plan->engine_options_of ? m->plan->engine_options_of[number] : NULL;
}

// The first engine that can do it, where `together` suits the blocks.
static void find_engine(const dj_measurement *m, uint32_t needs, bool together, dj_pipeline_config *config)
{
    for (size_t i = 0; i < dj_engine_count(); i++) {
        const dj_engine_ops *engine = dj_engine_get(i);
        if (engine->find || !suits_needs(engine, needs) || (together && !suits_blocks(engine, config)))
            continue;
        take_engine(m, i, config);
        return;
    }
}

// The last engine for traces as long as this one, if there is any.
static void find_long_engine(const dj_measurement *m, uint32_t needs, dj_pipeline_config *config)
{
    for (size_t i = dj_engine_count(); i-- > 0;) {
        const dj_engine_ops *engine = dj_engine_get(i);
        if (!suits_needs(engine, needs) || !suits_blocks(engine, config) || !suits_partition(m, engine) ||
            !suits_length(m, engine))
            continue;
        take_engine(m, i, config);
        return;
    }
}

static void choose_engine(const dj_measurement *m, dj_pipeline_config *config)
{
    uint32_t needs = config->summarize ? DJ_CAN_SUMMARY : 0;
    for (size_t i = 0; i < config->observer_count; i++)
        needs |= dj_need_of_engine(config->observers[i].ops->needs);
    config->engine = m->plan->engine;
    config->engine_options = m->plan->engine_options;
    bool can = (config->engine->can & needs) == needs;
    bool fits = can && suits_partition(m, config->engine);
    if (m->plan->engine_named || (fits && config->engine != dj_engine_get(0)))
        return;
    if (can && suits_blocks(config->engine, config))
        find_long_engine(m, needs, config);
    else
        find_engine(m, needs, can, config);
}

// An engine on several threads has more to tell than one thread can count.
static unsigned count_observer_threads(const dj_measurement *m, const dj_engine_ops *engine)
{
    unsigned cpus = dj_machine_cpus(), threads = cpus;
    if (cpus < 2 || !engine->for_long)
        return cpus > 1;
    if (m->plan->threads && m->plan->threads < cpus)
        threads = (unsigned)m->plan->threads;
    threads = threads / ENGINE_THREADS;
    return threads < 1 ? 1 : threads < COUNTING_MOST ? threads : COUNTING_MOST;
}

// An engine that counts by itself takes keys faster than one thread reads them.
static unsigned count_reading_threads(const dj_measurement *m, const dj_engine_ops *engine)
{
    unsigned cpus = dj_machine_cpus();
    if (m->plan->threads && m->plan->threads < cpus)
        cpus = (unsigned)m->plan->threads;
    if (cpus < 2 || !(engine->can & DJ_CAN_TOTALS))
        return 0;
    unsigned threads = cpus / ENGINE_THREADS;
    return threads < 1 ? 1 : threads < READING_MOST ? threads : READING_MOST;
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

static int add_provenance(dj_context *context, const dj_measurement *m, dj_provenance *from)
{
    const dj_source_info *info = dj_source_get_info(m->source);
    int err = replace(context, &from->command, m->command_line);
    if (!err)
        err = replace(context, &from->format, info->format);
    if (!err)
        err = replace(context, &from->unit, m->plan->unit);
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

// Sizes in a trace of blocks that have no bytes are numbers of blocks.
static bool has_no_bytes(const dj_measurement *m)
{
    const dj_source_info *info = dj_source_get_info(m->source);
    return info->kind != DJ_CLASS_KEYS && info->unit_bytes == 0;
}

// Why there is nothing to report.
static int refuse_empty(dj_context *context, const dj_measurement *m, const dj_profile *profile)
{
    const char *why = m->attribute ? dj_attribute_why_nothing(m->attribute) : NULL;
    if (profile->accesses > 0)
        return dj_fail(context, DJ_ERR_INPUT, "%s: of %" PRIu64 " accesses that were read none counts (%s)",
                       m->inputs[0], profile->accesses, dj_lane_filter(&profile->lanes[0]));
    return dj_fail(context, DJ_ERR_INPUT, "%s: %s", m->inputs[0], why ? why : "there are no accesses");
}

static int finish(dj_context *context, const dj_measurement *m, dj_pipeline *pipeline, dj_profile **out)
{
    dj_profile *profile = NULL;
    int err = dj_pipeline_finish(pipeline, context, &profile);
    if (!err)
        err = add_provenance(context, m, &profile->provenance);
    if (!err && has_no_bytes(m))
        profile->bytes = 0;
    if (!err && profile->lanes[0].accesses == 0)
        err = refuse_empty(context, m, profile);
    if (!err && m->attribute)
        err = dj_attribute_finish(m->attribute, context, profile);
    if (err)
        dj_profile_destroy(profile);
    else
        *out = profile;
    return err;
}

// A profile that cannot be made does not end the run: the next one may.
static void keep_so_far(dj_context *context, const dj_measurement *m, dj_pipeline *pipeline)
{
    dj_profile *profile = NULL;
    if (finish(context, m, pipeline, &profile) == DJ_OK)
        m->keep(m->user, profile);
}

// What comes from a program is decoded and located while the engine works.
static int run(dj_context *context, const dj_measurement *m, dj_pipeline *pipeline)
{
    dj_source *source = m->attribute ? dj_attribute_source(m->attribute) : m->source, *ahead = NULL;
    bool apart = m->ahead && !m->is_due && dj_machine_cpus() > 1;
    int err = apart ? dj_ahead_source(context, source, &ahead) : DJ_OK;
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

static const char *tells(uint32_t column)
{
    return column & DJ_COLUMN_KIND     ? "which accesses are reads"
           : column & DJ_COLUMN_CLOCK  ? "when accesses were made"
           : column & DJ_COLUMN_THREAD ? "which thread an access is from"
           : column & DJ_COLUMN_DEVICE ? "which device an access goes to"
           : column & DJ_COLUMN_FILE   ? "which file an access is from"
                                       : "all that is needed";
}

static int check_columns(dj_context *context, const dj_measurement *m, uint32_t needed)
{
    const dj_source_info *info = dj_source_get_info(m->source);
    uint32_t missing = needed & ~(info->columns | info->tells);
    return missing ? dj_fail(context, DJ_ERR_UNSUPPORTED, "%s: format %s does not say %s", m->inputs[0],
                             info->format, tells(missing & -missing))
                   : DJ_OK;
}

// What the options say must make sense before it is held against the trace.
static int check_options(dj_context *context, const dj_filter_choice *filter)
{
    void *state = NULL;
    int err = filter->ops->create(context, filter->options, &state);
    if (!err)
        filter->ops->destroy(state);
    return err;
}

// The filters that leave something out, if the trace has what they look at.
static int choose_filters(dj_context *context, const dj_measurement *m, dj_filter_choice *filters,
                          dj_lane_group *group)
{
    uint32_t needed = dj_partition_columns(m->partition);
    group->filters = filters;
    group->partition = m->partition;
    for (size_t i = 0; i < m->filter_count && group->filter_count < FILTERS_MOST; i++) {
        const dj_filter_choice *filter = &m->filters[i];
        char words[WORDS_ROOM] = "";
        filter->ops->describe(filter->options, words, sizeof words);
        if (!words[0])
            continue;
        int err = check_options(context, filter);
        if (err)
            return err;
        needed |= filter->ops->columns ? filter->ops->columns(filter->options) : 0;
        filters[group->filter_count++] = *filter;
    }
    return check_columns(context, m, needed);
}

static int begin(dj_context *context, const dj_measurement *m, bool summarize, dj_pipeline **out)
{
    dj_filter_choice filters[FILTERS_MOST];
    dj_lane_group group = {.blocks = m->blocks ? m->blocks : &m->plan->block_bytes,
                           .block_count = m->blocks ? m->block_count : 1};
    int chosen = choose_filters(context, m, filters, &group);
    if (chosen)
        return chosen;
    if (summarize && m->partition != DJ_PARTITION_NONE)
        return dj_fail(context, DJ_ERR_UNSUPPORTED,
                       "--each %s needs the whole trace in order and cannot be joined from pieces",
                       dj_partition_name(m->partition));
    dj_observer_choice observers[OBSERVERS_MOST];
    size_t observer_count = 0;
    bool places = m->attribute && dj_attribute_has_places(m->attribute);
    if (places)
        observers[observer_count++] = dj_attribute_observer(m->attribute);
    memcpy(observers + observer_count, m->observers, m->observer_count * sizeof *observers);
    observer_count += m->observer_count;
    if (m->partition != DJ_PARTITION_NONE)
        observers[observer_count++] = (dj_observer_choice){.ops = dj_observer_find("partitions")};
    dj_pipeline_config config = {.blocks = group.blocks, // for the choice of the engine
                                 .block_count = group.block_count,
                                 .groups = &group,
                                 .group_count = 1,
                                 .split = m->plan->split,
                                 .tag = places ? DJ_TAG_PLACE : DJ_TAG_SITE,
                                 .observers = observers,
                                 .observer_count = observer_count,
                                 .summarize = summarize,
                                 .on_progress = m->on_progress,
                                 .pause = m->is_due,
                                 .user = m->user};
    choose_engine(m, &config);
    config.observer_threads = count_observer_threads(m, config.engine);
    dj_source_use_threads(m->source, count_reading_threads(m, config.engine));
    int err = summarize ? dj_summary_check(context, observers, observer_count) : DJ_OK;
    return err ? err : dj_pipeline_create(context, &config, out);
}

int dj_measure(dj_context *context, const dj_measurement *m, dj_profile **out)
{
    dj_pipeline *pipeline = NULL;
    *out = NULL;
    int err = begin(context, m, false, &pipeline);
    if (err)
        return err;
    err = run(context, m, pipeline);
    if (m->after_reading)
        m->after_reading(m->user);
    if (!err) {
        err = finish(context, m, pipeline, out);
    } else if (err == DJ_ERR_INPUT || err == DJ_ERR_STOPPED) {
        char *why = strdup(dj_context_message(context));
        int ended = finish(context, m, pipeline, out);
        if (why)
            (void)dj_fail(context, (enum dj_err)err, "%s", why);
        free(why);
        err = ended && ended != DJ_ERR_INPUT ? ended : err;
    }
    dj_pipeline_destroy(pipeline);
    return err;
}

int dj_measure_part(dj_context *context, const dj_measurement *m, dj_part part, dj_summary **out)
{
    dj_pipeline *pipeline = NULL;
    dj_summary *summary = NULL;
    *out = NULL;
    int err = begin(context, m, true, &pipeline);
    if (err)
        return err;
    err = run(context, m, pipeline);
    if (m->after_reading)
        m->after_reading(m->user);
    if (err) {
        dj_pipeline_destroy(pipeline);
        return err;
    }
    err = dj_summary_create(context, pipeline, part, &summary);
    if (!err)
        err = add_provenance(context, m, &summary->provenance);
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
