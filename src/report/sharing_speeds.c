// SPDX-License-Identifier: MIT
// How fast the threads of a program are, and how far the tracer changed that.
#include "report/sharing_speeds.h"

#include <math.h>

#include "report/parts.h"

// The thread that the others are compared with: the first that the main one created.
static const dj_sharer_profile *find_reference(const dj_sharing *sharing)
{
    const dj_sharer_profile *found = &sharing->sharers[0];
    for (size_t i = 1; i < sharing->count; i++) {
        const dj_sharer_profile *s = &sharing->sharers[i];
        if (s->thread > 1 && (found->thread <= 1 || s->thread < found->thread))
            found = s;
    }
    return found;
}

// Accesses per CPU second, relative to the reference; 0: unknown.
static double find_speed(const dj_sharer_profile *s, double seconds, const dj_sharer_profile *reference,
                         double reference_seconds)
{
    double work = (double)s->standalone.lane.accesses, other = (double)reference->standalone.lane.accesses;
    return seconds >= DJ_CPU_SECONDS_LEAST && reference_seconds >= DJ_CPU_SECONDS_LEAST
               ? work / seconds * reference_seconds / other
               : 0;
}

static dj_datum show(double value)
{
    return value > 0 ? dj_datum_real(DJ_DATUM_REAL, value, 3) : dj_datum_none("-");
}

static void add_row(dj_sheet *table, const dj_sharer_profile *s, const dj_sharer_profile *reference)
{
    double native = find_speed(s, s->native_cpu_seconds, reference, reference->native_cpu_seconds);
    double traced = find_speed(s, s->cpu_seconds, reference, reference->cpu_seconds);
    const dj_datum cells[] = {dj_datum_text(s->name),
                              dj_datum_count(s->standalone.lane.accesses),
                              show(s->native_cpu_seconds),
                              show(s->cpu_seconds),
                              show(native),
                              show(traced),
                              native > 0 && traced > 0
                                  ? dj_datum_part(DJ_DATUM_PERCENT, fabs(native - traced), native)
                                  : dj_datum_none("-")};
    DJ_CELLS(table, cells);
}

void dj_add_speeds(dj_document *document, const dj_sharing *sharing)
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
    const dj_sharer_profile *reference = find_reference(sharing);
    if (sharing->count < 2 || (reference->cpu_seconds < DJ_CPU_SECONDS_LEAST &&
                               reference->native_cpu_seconds < DJ_CPU_SECONDS_LEAST))
        return;
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, "relative speeds");
    DJ_COLUMNS(table, columns);
    for (size_t i = 0; i < sharing->count; i++)
        add_row(table, &sharing->sharers[i], reference);
    dj_document_say(document, DJ_TEXT_LEGEND, 0,
                    "speed: accesses per CPU second, relative to %s. CPU times are sampled every few "
                    "milliseconds; below %d ms a speed is unknown. traced: while the program was recorded. "
                    "change: of the speed, by the tracer.%s",
                    reference->name, (int)(1000 * DJ_CPU_SECONDS_LEAST),
                    reference->native_cpu_seconds > 0 ? "" : " --native-speeds measures the others.");
}
