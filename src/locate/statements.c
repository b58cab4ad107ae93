// SPDX-License-Identifier: MIT
#include "locate/statements.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "locate/elements.h"
#include "locate/instances.h"

enum { EVENTS_MOST = 4 * DJ_BATCH_CAPACITY };

struct dj_statements {
    dj_statements_options options;
    dj_statements_tally tally;
    dj_instances instances;
    dj_element_set elements;

    dj_source *inner;
    int ended; // what `inner` returned at its end
    bool at_end;
    dj_batch *in; // being read, from access `at` and event `event` on
    uint32_t at, event;
    dj_batch *out, *held;           // being filled; and full, but kinds may still change
    uint32_t columns;               // of `out`
    uint64_t out_first, held_first; // positions of their first accesses
};

static bool is_at_work(const void *user, const dj_element *e)
{
    return dj_instances_go_on(&((const dj_statements *)user)->instances, e->thread, e->frame, e->instance);
}

int dj_statements_create(dj_context *context, const dj_statements_options *options, dj_statements **out)
{
    dj_statements *s = calloc(1, sizeof *s);
    if (!s)
        return dj_fail_memory(context, "statements", sizeof *s);
    s->options = *options;
    s->elements.is_at_work = is_at_work;
    s->elements.user = s;
    int err = dj_instances_create(&s->instances, context, &options->lookup);
    if (!err)
        err = dj_element_set_create(&s->elements, context);
    if (err) {
        dj_statements_destroy(s);
        return err;
    }
    *out = s;
    return DJ_OK;
}

void dj_statements_destroy(dj_statements *s)
{
    if (!s)
        return;
    dj_instances_destroy(&s->instances);
    dj_element_set_destroy(&s->elements);
    free(s);
}

dj_statements_tally dj_statements_count(const dj_statements *s)
{
    dj_statements_tally tally = s->tally;
    tally.instances = s->instances.count;
    return tally;
}

// Reports the instance of the access, also of one that is merged: there the instance continues after a call.
static int mark(dj_statements *s, dj_context *context, const dj_instance *at)
{
    dj_instance_thread *t = &s->instances.threads[s->instances.thread];
    bool outside = at->source == DJ_STATEMENT_OUTSIDE;
    uint64_t number = outside ? 0 : at->number;
    if (!s->options.mark || s->instances.annotated || t->marked == number)
        return DJ_OK;
    t->marked = number;
    return dj_batch_add_event(context, s->out,
                              &(dj_event){.index = s->out->count,
                                          .type = DJ_EVENT_STATEMENT,
                                          .a = outside ? 0 : at->statement,
                                          .b = number,
                                          .c = at->source,
                                          .text = ""});
}

// The same instance accesses the element again.
static void merge(dj_statements *s, dj_element *e, uint8_t kind)
{
    s->tally.merged++;
    if (e->kind == kind || e->kind == DJ_KIND_MODIFY)
        return;
    e->kind = DJ_KIND_MODIFY;
    bool filling = e->position >= s->out_first;
    dj_batch *batch = filling ? s->out : s->held;
    uint64_t first = filling ? s->out_first : s->held_first;
    if (batch && e->position >= first)
        dj_batch_writable(batch).kind[e->position - first] = DJ_KIND_MODIFY;
    else
        s->tally.late++;
}

// Counts the access unless its instance has already accessed the element.
static int use_data(dj_statements *s, dj_context *context, uint8_t kind, bool *counts)
{
    const dj_batch *in = s->in;
    dj_element element = {.address = in->column.address[s->at],
                          .size = in->column.size ? in->column.size[s->at] : 0,
                          .position = s->out_first + s->out->count,
                          .thread = s->instances.thread,
                          .kind = kind};
    const dj_instance *at = dj_instances_at(&s->instances, context, in, s->at, kind, &element.frame);
    if (!at)
        return DJ_ERR_MEMORY;
    s->tally.accesses[at->source]++;
    *counts = true;
    if (at->source != DJ_STATEMENT_OUTSIDE) {
        element.instance = at->number;
        dj_element *e = dj_element_set_at(&s->elements, context, &element, counts);
        if (!e)
            return DJ_ERR_MEMORY;
        if (!*counts)
            merge(s, e, kind);
    }
    return mark(s, context, at);
}

// Instruction fetches and the like are not accesses of statements.
static int use_access(dj_statements *s, dj_context *context)
{
    uint8_t kind = s->in->column.kind ? s->in->column.kind[s->at] : DJ_KIND_READ;
    bool counts = true;
    int err = kind <= DJ_KIND_MODIFY ? use_data(s, context, kind, &counts) : DJ_OK;
    if (!err && counts)
        dj_batch_copy_access(s->out, s->out->count++, s->in, s->at);
    return err;
}

static int use_batch(dj_statements *s, dj_context *context)
{
    const dj_batch *in = s->in;
    int err = DJ_OK;
    while (!err && s->out->count < DJ_BATCH_CAPACITY && s->out->event_count < EVENTS_MOST) {
        if (s->event < in->event_count && in->events[s->event].index <= s->at) {
            dj_event event = in->events[s->event++];
            event.index = s->out->count;
            err = dj_instances_event(&s->instances, context, &event);
            if (!err)
                err = dj_batch_add_event(context, s->out, &event);
        } else if (s->at < in->count) {
            err = use_access(s, context);
            s->at++;
        } else {
            dj_batch_release(s->in);
            s->in = NULL;
            break;
        }
    }
    dj_batch_set_columns(s->out, s->columns);
    return err;
}

static int next_input(dj_statements *s, dj_context *context)
{
    if (s->in || s->at_end)
        return DJ_OK;
    s->at = s->event = 0;
    int err = dj_source_next(s->inner, context, &s->in);
    s->at_end = err || !s->in;
    s->ended = err;
    return DJ_OK;
}

// Returns the held batch; the one being filled is held next.
static dj_batch *rotate(dj_statements *s)
{
    dj_batch *ready = s->held;
    s->held = s->out;
    s->held_first = s->out_first;
    s->out_first += s->out ? s->out->count : 0;
    s->out = NULL;
    return ready;
}

static bool is_full(const dj_statements *s)
{
    return s->out && (s->out->count == DJ_BATCH_CAPACITY || s->out->event_count >= EVENTS_MOST ||
                      (s->in && dj_batch_columns(s->in) != s->columns));
}

static int next(void *state, dj_context *context, dj_pool *pool, dj_batch **out)
{
    dj_statements *s = state;
    *out = NULL;
    while (!*out) {
        int err = next_input(s, context);
        if (err)
            return err;
        if (is_full(s) || (!s->in && (s->out || s->held))) {
            *out = rotate(s);
            continue;
        }
        if (!s->in)
            return s->ended;
        if (!s->out) {
            err = dj_pool_take(context, pool, &s->out);
            s->columns = dj_batch_columns(s->in);
        }
        if (!err)
            err = use_batch(s, context);
        if (err)
            return err;
    }
    return DJ_OK;
}

static void progress(const void *state, dj_progress *out)
{
    dj_source_progress(((const dj_statements *)state)->inner, out);
}

static const char *name(const void *state)
{
    return dj_source_name(((const dj_statements *)state)->inner);
}

static void close_source(void *state)
{
    dj_statements *s = state;
    dj_batch_release(s->in);
    dj_batch_release(s->out);
    dj_batch_release(s->held);
    s->in = s->out = s->held = NULL;
}

int dj_statements_source(dj_context *context, dj_statements *statements, dj_source *inner, dj_source **out)
{
    static const dj_source_ops ops = {
        .next = next, .progress = progress, .close = close_source, .name = name};
    statements->inner = inner;
    return dj_source_create(context, &ops, statements, dj_source_get_info(inner), out);
}

enum dj_statement_source dj_statements_source_of(const dj_statements *s, uint32_t site)
{
    const dj_statement_sites *sites = &s->instances.sites;
    uint8_t source = site < sites->count ? sites->list[site].source : DJ_STATEMENT_SOURCES;
    return source < DJ_STATEMENT_SOURCES ? (enum dj_statement_source)source : DJ_STATEMENT_OUTSIDE;
}

int dj_statements_describe(const dj_statements *s, dj_context *context, const uint64_t *accesses, char *text,
                           size_t capacity)
{
    const uint64_t *n = accesses && !s->instances.annotated ? accesses : s->tally.accesses;
    uint64_t lines = n[DJ_STATEMENT_LINES], optimized = n[DJ_STATEMENT_OPTIMIZED];
    uint64_t known = n[DJ_STATEMENT_ANNOTATED] + lines + optimized, all = known + n[DJ_STATEMENT_OUTSIDE];
    char part[64] = "", none[64] = "", late[128] = "";
    if (known == 0)
        return dj_fail(context, DJ_ERR_UNSUPPORTED,
                       "--statements: cannot distinguish statements without line tables or annotations; "
                       "compile the program with -g -O0, or call dj_record_statement in it");
    if (optimized && known > optimized)
        snprintf(part, sizeof part, "; approximate for %.3g%% of the accesses, in optimized code",
                 100 * (double)optimized / (double)all);
    if (all > known)
        snprintf(none, sizeof none, "; %.3g%% of the accesses outside of statements",
                 100 * (double)(all - known) / (double)all);
    if (s->tally.late)
        snprintf(late, sizeof late,
                 "; %" PRIu64
                 " elements that were read and written much later count once, as read or written",
                 s->tally.late);
    snprintf(text, capacity, "%s%s%s%s%s",
             n[DJ_STATEMENT_ANNOTATED] ? "from annotations"
             : lines                   ? "from line tables at -O0"
                                       : "approximate: from line tables of optimized code",
             n[DJ_STATEMENT_ANNOTATED] && lines ? " and, before the first of them, line tables at -O0" : "",
             part, none, late);
    return DJ_OK;
}
