// SPDX-License-Identifier: MIT
// A window of the trace: from the first access at or after one point up to the first at or after
// another. A point is a number of accesses in the trace or a time since its first access. --limit is the
// second point, too, for those who want less of a trace and no window.
#include "filter/filters.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/point.h"

typedef struct window_options {
    const char *from, *until, *limit; // as typed, or NULL
} window_options;

static const dj_option table[] = {
    {"from", 0, DJ_OPTION_TEXT, offsetof(window_options, from), "P",
     "start at point P, with an empty LRU stack. P is a number of accesses, or with ns, us, ms, s, min, h or "
     "d a time since the first access of the trace",
     NULL},
    {"until", 0, DJ_OPTION_TEXT, offsetof(window_options, until), "P",
     "stop before point P, written as for --from", NULL},
    {"limit", 0, DJ_OPTION_TEXT, offsetof(window_options, limit), "N",
     "read only the first N accesses of the trace: the same as --until N. Reading stops there, even within a "
     "line that stands for many accesses",
     NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static const window_options defaults = {NULL, NULL, NULL};

typedef struct point {
    uint64_t at;
    bool given, timed; // timed: in nanoseconds, not accesses
} point;

typedef struct window {
    point from, until;
    uint64_t requests; // so far
    bool begun, ended;
    uint32_t ended_at; // in the current batch
} window;

static const char *end_of(const window_options *o)
{
    return o->until ? o->until : o->limit;
}

static void describe(const void *options, char *text, size_t capacity)
{
    const window_options *o = options;
    const char *ends[] = {o->from, end_of(o)}, *names[] = {"from", "until"};
    text[0] = 0;
    for (size_t i = 0; i < 2; i++) {
        size_t used = strlen(text);
        bool number = ends[i] && strspn(ends[i], "0123456789") == strlen(ends[i]);
        if (ends[i])
            snprintf(text + used, capacity - used, "%s%s %s%.32s", used ? " " : "", names[i],
                     number ? "access " : "", ends[i]);
    }
}

static bool is_timed(const char *text)
{
    return text && dj_point_is_timed(text);
}

static uint32_t columns(const void *options)
{
    const window_options *o = options;
    return is_timed(o->from) || is_timed(end_of(o)) ? DJ_COLUMN_CLOCK : 0;
}

static int parse(dj_context *context, const char *option, const char *text, point *out)
{
    dj_point read = {0};
    if (text && !dj_point_read(text, &read))
        return dj_point_fail(context, option, text);
    *out = (point){.at = read.at, .given = text != NULL, .timed = read.timed};
    return DJ_OK;
}

static int parse_limit(dj_context *context, const window_options *o, window *w)
{
    dj_point read = {0};
    if (o->until)
        return dj_fail(context, DJ_ERR_USAGE,
                       "--limit and --until cannot be combined: both say where to stop");
    if (!dj_point_read(o->limit, &read) || read.timed || read.at == 0)
        return dj_fail(
            context, DJ_ERR_USAGE,
            "--limit: '%.64s' is not a number of accesses, as in 1000000; --until takes times, too",
            o->limit);
    w->until = (point){.at = read.at, .given = true};
    return DJ_OK;
}

static int create(dj_context *context, const dj_filter_setup *setup, void **state)
{
    const window_options *o = setup->options;
    window w = {0};
    int err = parse(context, "--from", o->from, &w.from);
    if (!err)
        err = o->limit ? parse_limit(context, o, &w) : parse(context, "--until", o->until, &w.until);
    if (!err && w.until.given && w.from.given && w.until.timed == w.from.timed && w.until.at <= w.from.at)
        err = dj_fail(context, DJ_ERR_USAGE, "--%s %.32s is not after --from %.32s: nothing is left",
                      o->limit ? "limit" : "until", end_of(o), o->from);
    if (err)
        return err;
    window *made = malloc(sizeof *made);
    if (!made)
        return dj_fail_memory(context, "a filter", sizeof *made);
    *made = w;
    *state = made;
    return DJ_OK;
}

static bool is_reached(const point *p, const window *w, const dj_batch *batch, uint32_t i)
{
    return (p->timed ? batch->column.clock[i] : w->requests) >= p->at;
}

static int judge(void *state, dj_context *context, const dj_batch *batch, uint8_t *verdicts)
{
    window *w = state;
    const uint8_t *continuation = batch->column.continuation;
    if ((w->from.timed || w->until.timed) && !batch->column.clock && batch->count > 0)
        return dj_fail(context, DJ_ERR_UNSUPPORTED, "the trace does not record when accesses were made");
    w->ended_at = 0;
    for (uint32_t i = 0; i < batch->count; i++) {
        // All pieces of a split access get the same verdict.
        if (!continuation || !continuation[i]) {
            w->begun = w->begun || is_reached(&w->from, w, batch, i);
            if (!w->ended && w->until.given && is_reached(&w->until, w, batch, i)) {
                w->ended = true;
                w->ended_at = i;
            }
            w->requests++;
        }
        if (!w->begun || w->ended)
            verdicts[i] = DJ_VERDICT_ABSENT;
    }
    return DJ_OK;
}

static bool ended(const void *state, uint32_t *from)
{
    const window *w = state;
    *from = w->ended_at;
    return w->ended;
}

const dj_filter_ops dj_filter_window = {
    .name = "window",
    .summary = "a window of the trace, by time or by number of accesses",
    .options = table,
    .options_bytes = sizeof(window_options),
    .default_options = &defaults,
    .verdicts = 1u << DJ_VERDICT_ABSENT,
    .by_position = true,
    .describe = describe,
    .columns = columns,
    .create = create,
    .destroy = free,
    .judge = judge,
    .ended = ended,
};
