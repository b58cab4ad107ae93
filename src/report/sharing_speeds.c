// SPDX-License-Identifier: MIT
// How fast the threads of a program are, and how far the tracer changed that.
#include "report/sharing_speeds.h"

#include <math.h>
#include <stdlib.h>

#include "model/thread_speed.h"
#include "report/parts.h"

static int list_threads(dj_context *context, const dj_sharing *sharing, dj_thread_work **out)
{
    dj_thread_work *threads = calloc(sharing->count, sizeof *threads);
    if (!threads)
        return dj_fail_memory(context, "the speeds of threads", sharing->count * sizeof *threads);
    for (size_t i = 0; i < sharing->count; i++) {
        const dj_sharer_profile *s = &sharing->sharers[i];
        threads[i] =
            (dj_thread_work){s->thread, s->standalone.lane.accesses, s->cpu_seconds, s->native_cpu_seconds};
    }
    *out = threads;
    return DJ_OK;
}

static dj_datum show(double value)
{
    return value > 0 ? dj_datum_real(DJ_DATUM_REAL, value, 3) : dj_datum_none("-");
}

static void add_row(dj_sheet *table, const char *name, const dj_thread_work *thread,
                    const dj_thread_work *reference)
{
    const double native = dj_thread_speed(thread, reference, true);
    const double traced = dj_thread_speed(thread, reference, false);
    const dj_datum cells[] = {dj_datum_text(name),
                              dj_datum_count(thread->accesses),
                              show(thread->native_cpu_seconds),
                              show(thread->cpu_seconds),
                              show(native),
                              show(traced),
                              native > 0 && traced > 0
                                  ? dj_datum_part(DJ_DATUM_PERCENT, fabs(native - traced), native)
                                  : dj_datum_none("-")};
    DJ_CELLS(table, cells);
}

static void add_table(dj_document *document, const dj_sharing *sharing, const dj_thread_work *threads)
{
    static const dj_sheet_column columns[] = {
        {.title = "", .name = "sharer"},
        {.title = "accesses", .name = "accesses", .width = 8, .rank = 1},
        {.title = "CPU s", .name = "native_cpu_seconds", .width = 7},
        {.title = "traced s", .name = "cpu_seconds", .width = 8},
        {.title = "speed", .name = "speed", .width = 6},
        {.title = "traced", .name = "traced_speed", .width = 6},
        {.title = "change", .name = "change", .width = 7},
    };
    const size_t first = dj_thread_reference(threads, sharing->count);
    const dj_thread_work *reference = &threads[first];
    if (reference->cpu_seconds < DJ_CPU_SECONDS_LEAST && reference->native_cpu_seconds < DJ_CPU_SECONDS_LEAST)
        return;
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, "relative speeds");
    DJ_COLUMNS(table, columns);
    for (size_t i = 0; i < sharing->count; i++)
        add_row(table, sharing->sharers[i].name, &threads[i], reference);
    dj_document_say(document, DJ_TEXT_LEGEND, 0,
                    "speed: accesses per CPU second, relative to %s. CPU times are sampled every few "
                    "milliseconds; below %d ms a speed is unknown. traced: while the program was recorded. "
                    "change: of the speed, by the tracer.%s",
                    sharing->sharers[first].name, (int)(1000 * DJ_CPU_SECONDS_LEAST),
                    reference->native_cpu_seconds > 0 ? "" : " --native-speeds measures the others.");
}

int dj_add_speeds(dj_context *context, dj_document *document, const dj_sharing *sharing)
{
    dj_thread_work *threads = NULL;
    if (sharing->count < 2)
        return DJ_OK;
    int err = list_threads(context, sharing, &threads);
    if (!err)
        add_table(document, sharing, threads);
    free(threads);
    return err;
}
