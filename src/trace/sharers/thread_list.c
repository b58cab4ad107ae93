// SPDX-License-Identifier: MIT
#include "trace/sharers/thread_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/text.h"

typedef struct dj_known_thread {
    uint64_t id;
    char *name;      // until the thread becomes a sharer
    uint32_t sharer; // UINT32_MAX: no accesses so far
} known_thread;

int dj_thread_list_create(dj_context *context, dj_thread_list *t)
{
    *t = (dj_thread_list){0};
    return dj_map_create(&t->rows, context, &t->footprint, 0);
}

void dj_thread_list_destroy(dj_thread_list *t)
{
    for (size_t i = 0; i < t->known_count; i++)
        free(t->known[i].name);
    for (size_t i = 0; i < t->count; i++)
        free(t->sharers[i].name);
    free(t->known);
    free(t->sharers);
    dj_map_destroy(&t->rows);
    *t = (dj_thread_list){0};
}

static int find(dj_thread_list *t, dj_context *context, uint64_t id)
{
    uint64_t *row = dj_map_at(&t->rows, context, id);
    if (!row)
        return DJ_ERR_MEMORY;
    if (*row == 0 || !t->known) {
        *row = t->known_count + 1;
        int err = dj_grow(context, "the threads", &t->known, &t->known_capacity, t->known_count + 1,
                          sizeof *t->known);
        if (err)
            return err;
        t->known[t->known_count++] = (known_thread){.id = id, .sharer = UINT32_MAX};
    }
    t->current = &t->known[*row - 1];
    return DJ_OK;
}

// Any of a thread's events may carry its name.
static int enter(dj_thread_list *t, dj_context *context, const dj_event *event)
{
    int err = find(t, context, event->a);
    if (err || !event->text[0])
        return err;
    known_thread *k = t->current;
    char **name = k->sharer == UINT32_MAX ? &k->name : &t->sharers[k->sharer].name;
    if (*name && (*name)[0])
        return DJ_OK;
    free(*name);
    *name = NULL;
    return dj_copy_text(context, event->text, name);
}

static int enter_trace(dj_thread_list *t, dj_context *context, const char *trace)
{
    int err = find(t, context, DJ_NO_THREAD);
    return err ? err : dj_copy_text(context, trace, &t->current->name);
}

static int add_sharer(dj_thread_list *t, dj_context *context, const char *trace)
{
    known_thread *k = t->current;
    if (t->count == DJ_SHARERS_MOST)
        return dj_fail(
            context, DJ_ERR_INPUT,
            "%s has more than %d threads, too many sharers; 'deja analyze' measures one cache for all", trace,
            DJ_SHARERS_MOST);
    int err = dj_grow(context, "the threads", &t->sharers, &t->capacity, t->count + 1, sizeof *t->sharers);
    if (!err && !k->name)
        err = dj_copy_text(context, "", &k->name);
    if (err)
        return err;
    k->sharer = (uint32_t)t->count;
    t->sharers[t->count++] = (dj_sharer){.thread = k->id, .name = k->name};
    k->name = NULL;
    return DJ_OK;
}

int dj_thread_list_next(dj_thread_list *t, dj_context *context, const dj_batch *batch, const char *trace,
                        dj_thread_run *run, bool *more)
{
    int err = DJ_OK;
    run->from = run->to;
    for (; !err && run->next_event < batch->event_count; run->next_event++) {
        const dj_event *event = &batch->events[run->next_event];
        if (event->type == DJ_EVENT_THREAD && event->index > run->from)
            break;
        if (event->type == DJ_EVENT_THREAD)
            err = enter(t, context, event);
    }
    run->to = run->next_event < batch->event_count ? batch->events[run->next_event].index : batch->count;
    *more = run->from < run->to;
    if (!err && *more && !t->current)
        err = enter_trace(t, context, trace);
    if (!err && *more && t->current->sharer == UINT32_MAX)
        err = add_sharer(t, context, trace);
    if (err || !*more)
        return err;
    run->sharer = t->current->sharer;
    t->sharers[run->sharer].accesses += run->to - run->from;
    return DJ_OK;
}

static int compare_numbers(const void *a, const void *b)
{
    // DJ_NO_THREAD + 1 is 0.
    const uint64_t x = ((const dj_sharer *)a)->thread + 1, y = ((const dj_sharer *)b)->thread + 1;
    return (x > y) - (x < y);
}

static const char *skip_zeros(const char *digits)
{
    return digits + strspn(digits, "0");
}

static int compare_names(const void *a, const void *b)
{
    const char *x = skip_zeros(((const dj_sharer *)a)->name), *y = skip_zeros(((const dj_sharer *)b)->name);
    const size_t length = strlen(x), other = strlen(y);
    const int order = length == other ? strcmp(x, y) : (length > other) - (length < other);
    return order ? order : compare_numbers(a, b);
}

// Text formats name threads by their numbers, and number them as they appear.
static bool are_names_numbers(const dj_thread_list *t)
{
    for (size_t i = 0; i < t->count; i++) {
        const char *name = t->sharers[i].name;
        if (!*name || name[strspn(name, "0123456789")])
            return false;
    }
    return true;
}

void dj_thread_list_sort(dj_thread_list *t, uint32_t *numbers)
{
    qsort(t->sharers, t->count, sizeof *t->sharers, are_names_numbers(t) ? compare_names : compare_numbers);
    for (uint32_t i = 0; i < t->count; i++) {
        known_thread *k = &t->known[dj_map_get(&t->rows, t->sharers[i].thread) - 1];
        numbers[k->sharer] = i;
        k->sharer = i;
    }
}
