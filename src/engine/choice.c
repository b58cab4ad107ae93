// SPDX-License-Identifier: MIT
#include "engine/choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/option/choices.h"
#include "base/option/option.h"
#include "base/text_stream.h"

#define AUTO "auto"
// An option of all engines that use several threads; it does not require naming the engine.
#define THREADS "threads"

enum {
    ENGINE_THREADS = 4, // engine threads per observer thread or reading thread
    COUNTING_MOST = 8,
    READING_MOST = 4,
};

bool dj_engine_is_named(const char *name)
{
    return name && strcmp(name, AUTO) != 0;
}

static int unknown_engine(dj_context *context, const char *name)
{
    dj_choices known = {0};
    dj_choices_add(context, &known, AUTO);
    for (size_t i = 0; i < dj_engine_count(); i++)
        dj_choices_add(context, &known, dj_engine_get(i)->name);
    int err =
        dj_fail(context, DJ_ERR_USAGE, "unknown engine '%s'; engines are %s", name, dj_choices_list(&known));
    dj_choices_free(&known);
    return err;
}

// Whether the engine's own table contains an option of this name.
static bool has_option(const dj_engine_ops *engine, const char *name)
{
    for (const dj_option *o = engine->options; o && o->name; o++)
        if (strcmp(o->name, name) == 0)
            return true;
    return false;
}

static bool is_changed(const dj_engine_ops *engine, const dj_option *option, const void *values)
{
    return values && engine->default_options &&
           memcmp((const char *)values + option->offset,
                  (const char *)engine->default_options + option->offset, dj_option_value_bytes(option)) != 0;
}

// A changed option of another engine would have no effect; report that to the user.
static int check_other_engines(dj_context *context, const dj_engine_preference *preference)
{
    for (size_t i = 0; preference->options_of && i < dj_engine_count(); i++) {
        const dj_engine_ops *engine = dj_engine_get(i);
        for (const dj_option *o = engine->options; engine != preference->engine && o && o->name; o++)
            if (is_changed(engine, o, preference->options_of[i]) &&
                !has_option(preference->engine, o->name) &&
                (preference->named || strcmp(o->name, THREADS) != 0))
                return dj_fail(
                    context, DJ_ERR_USAGE,
                    "--%s is an option of engine %s, but the engine is %s; add --engine %s or leave it out",
                    o->name, engine->name, preference->engine->name, engine->name);
    }
    return DJ_OK;
}

const char *dj_engine_option_given(void *const *options_of)
{
    for (size_t i = 0; options_of && i < dj_engine_count(); i++)
        for (const dj_option *o = dj_engine_get(i)->options; o && o->name; o++)
            if (is_changed(dj_engine_get(i), o, options_of[i]))
                return o->name;
    return NULL;
}

// If the user named no engine, an option of an engine selects it. One that is never used otherwise must be
// meant, as if it had been named.
static size_t find_by_options(dj_engine_preference *preference)
{
    for (size_t i = 0; preference->options_of && i < dj_engine_count(); i++) {
        const dj_engine_ops *engine = dj_engine_get(i);
        const char *values = preference->options_of[i];
        bool selects = engine->by_option || engine->for_long_traces;
        for (const dj_option *o = engine->options; values && selects && o && o->name; o++) {
            if (strcmp(o->name, THREADS) == 0)
                preference->threads = *(const uint64_t *)(const void *)(values + o->offset);
            else if (is_changed(engine, o, values)) {
                preference->named = engine->by_option;
                return i;
            }
        }
        if (preference->threads > 1)
            return i;
    }
    return 0;
}

static size_t find_by_name(const char *name)
{
    size_t at = 0;
    while (at < dj_engine_count() && strcmp(dj_engine_get(at)->name, name) != 0)
        at++;
    return at;
}

int dj_engine_preference_make(dj_context *context, const char *name, void *const *options_of,
                              dj_engine_preference *out)
{
    *out = (dj_engine_preference){.named = dj_engine_is_named(name), .options_of = options_of};
    size_t at = out->named ? find_by_name(name) : find_by_options(out);
    if (at == dj_engine_count())
        return unknown_engine(context, name);
    out->engine = dj_engine_get(at);
    out->options = options_of && out->engine->options ? options_of[at] : NULL;
    return check_other_engines(context, out);
}

dj_engine_preference dj_engine_prefer(const char *name)
{
    const dj_engine_ops *engine = name ? dj_engine_find(name) : NULL;
    return (dj_engine_preference){.engine = engine ? engine : dj_engine_get(0)};
}

// Block sizes that double are best answered together.
static bool suits_blocks(const dj_engine_ops *engine, const dj_engine_task *task)
{
    return task->summarize || engine->coarser > 0 || task->block_count < 2 ||
           task->blocks[1] / 2 != task->blocks[0];
}

static bool suits_partitions(const dj_engine_ops *engine, const dj_engine_task *task)
{
    return !task->partitioned || !engine->for_long_traces;
}

// Whether the trace is long enough for several threads, or for a device. A trace of unknown size may be
// short.
static bool is_long(const dj_engine_preference *preference, const dj_engine_task *task, bool for_device)
{
    if (task->while_it_runs || preference->threads != 0)
        return false;
    return for_device ? task->file_bytes / DJ_DEVICE_BYTES >= task->cpus
                      : task->file_bytes >= DJ_LONG_BYTES && task->cpus >= DJ_LONG_CPUS;
}

static bool has_device(const dj_engine_ops *engine, const dj_engine_task *task)
{
    dj_context *own = NULL; // its absence is not an error
    if (task->has_device)
        return task->has_device(engine);
    bool found = dj_context_create(&own) == DJ_OK && engine->find_device(own) == DJ_OK;
    dj_context_destroy(own);
    return found;
}

// Whether the engine is meant for traces of this length. Looking for a device takes time, so it comes
// last.
static bool suits_length(const dj_engine_ops *engine, const dj_engine_preference *preference,
                         const dj_engine_task *task)
{
    return engine->for_long_traces && is_long(preference, task, engine->find_device != NULL) &&
           (!engine->find_device || has_device(engine, task));
}

static bool suits_needs(const dj_engine_ops *engine, uint32_t needs)
{
    needs |= DJ_CAN_EXACT; // estimates only on request
    return (engine->can & needs) == needs;
}

static void take(size_t number, const dj_engine_preference *preference, dj_engine_choice *choice)
{
    choice->engine = dj_engine_get(number);
    choice->options = preference->options_of ? preference->options_of[number] : NULL;
}

// The first engine that can do it; with `together`, one that also suits the block sizes.
static void find_able(const dj_engine_preference *preference, const dj_engine_task *task, bool together,
                      dj_engine_choice *choice)
{
    for (size_t i = 0; i < dj_engine_count(); i++) {
        const dj_engine_ops *engine = dj_engine_get(i);
        if (engine->find_device || !suits_needs(engine, task->needs) || !suits_partitions(engine, task) ||
            (together && !suits_blocks(engine, task)))
            continue;
        take(i, preference, choice);
        return;
    }
}

// The last engine meant for traces of this length, if any.
static void find_long(const dj_engine_preference *preference, const dj_engine_task *task,
                      dj_engine_choice *choice)
{
    for (size_t i = dj_engine_count(); i-- > 0;) {
        const dj_engine_ops *engine = dj_engine_get(i);
        if (!suits_needs(engine, task->needs) || !suits_blocks(engine, task) ||
            !suits_partitions(engine, task) || !suits_length(engine, preference, task))
            continue;
        take(i, preference, choice);
        return;
    }
}

// An engine with several threads answers faster than one thread can count.
static unsigned count_observer_threads(const dj_engine_preference *preference, const dj_engine_task *task,
                                       const dj_engine_ops *engine)
{
    unsigned threads = task->cpus;
    if (task->cpus < 2 || !engine->for_long_traces)
        return task->cpus > 1;
    if (preference->threads && preference->threads < task->cpus)
        threads = (unsigned)preference->threads;
    threads = threads / ENGINE_THREADS;
    return threads < 1 ? 1 : threads < COUNTING_MOST ? threads : COUNTING_MOST;
}

// An engine that counts distances itself consumes keys faster than one thread can read them.
static unsigned count_reading_threads(const dj_engine_preference *preference, const dj_engine_task *task,
                                      const dj_engine_ops *engine)
{
    unsigned cpus = task->cpus;
    if (preference->threads && preference->threads < cpus)
        cpus = (unsigned)preference->threads;
    if (cpus < 2 || !(engine->can & DJ_CAN_TOTALS))
        return 0;
    unsigned threads = cpus / ENGINE_THREADS;
    return threads < 1 ? 1 : threads < READING_MOST ? threads : READING_MOST;
}

dj_engine_choice dj_engine_choose(const dj_engine_preference *preference, const dj_engine_task *task)
{
    dj_engine_choice choice = {.engine = preference->engine, .options = preference->options};
    bool can = (preference->engine->can & task->needs) == task->needs;
    bool suits = can && suits_partitions(preference->engine, task);
    if (!preference->named && (!suits || preference->engine == dj_engine_get(0))) {
        if (suits && suits_blocks(preference->engine, task))
            find_long(preference, task, &choice);
        else
            find_able(preference, task, can, &choice);
    }
    choice.observer_threads = count_observer_threads(preference, task, choice.engine);
    choice.reading_threads = count_reading_threads(preference, task, choice.engine);
    return choice;
}

const dj_engine_ops *dj_engine_first(uint32_t needs)
{
    for (size_t i = 0; i < dj_engine_count(); i++)
        if ((dj_engine_get(i)->can & needs) == needs)
            return dj_engine_get(i);
    return NULL;
}

static const char *spell(int number)
{
    static const char *const words[] = {"no", "one", "two", "three", "four"};
    return (size_t)number < sizeof words / sizeof *words ? words[number] : "many";
}

char *dj_engine_help(void)
{
    dj_text_stream stream;
    if (!dj_text_stream_open(&stream))
        return NULL;
    FILE *to = stream.file;
    fprintf(to,
            "engine that computes the distances, as listed by 'deja help engines' (default " AUTO
            "). With " AUTO " the engine is %s",
            dj_engine_get(0)->name);
    for (size_t i = 0; i < dj_engine_count(); i++) {
        const dj_engine_ops *engine = dj_engine_get(i);
        if (!engine->for_long_traces)
            continue;
        fprintf(to, ", or %s for files of %d MiB or more", engine->name,
                (engine->find_device ? DJ_DEVICE_BYTES : DJ_LONG_BYTES) >> 20);
        if (engine->find_device)
            fputs(" per processor if there is a CUDA device", to);
        else
            fprintf(to, " on %s or more processors", spell(DJ_LONG_CPUS));
    }
    for (size_t i = 0; i < dj_engine_count(); i++)
        if (dj_engine_get(i)->by_option)
            fprintf(to, ", or %s if you use --%s", dj_engine_get(i)->name, dj_engine_get(i)->options->name);
    return dj_text_stream_close(&stream, NULL);
}
