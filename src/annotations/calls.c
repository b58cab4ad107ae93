// SPDX-License-Identifier: MIT
// What each call of the program does, while no other is in progress.
#include "annotations/recorder.h"

#include <string.h>

static int add_event(dj_recorder_state *s, uint32_t type, uint64_t a, uint64_t b, uint64_t c,
                     const char *text)
{
    const dj_event event = {s->batch->count, type, a, b, c, text};
    return dj_batch_add_event(s->context, s->batch, &event);
}

int dj_recorder_seal(dj_recorder_state *s)
{
    if (!s->batch)
        return DJ_OK;
    dj_batch_set_columns(s->batch, DJ_COLUMN_SITE | DJ_COLUMN_KIND);
    uint64_t outside = atomic_exchange_explicit(&s->outside, 0, memory_order_relaxed);
    return outside ? add_event(s, DJ_EVENT_OUTSIDE, outside, 0, 0, "") : DJ_OK;
}

int dj_recorder_swap(dj_recorder_state *s)
{
    int err = dj_recorder_seal(s);
    if (err)
        return err;
    s->batch = dj_channel_swap(s->channel, s->batch);
    if (!s->batch)
        return dj_fail(s->context, DJ_ERR_STOPPED, "the analysis has ended");
    s->into = dj_batch_writable(s->batch);
    return DJ_OK;
}

static int find_site(dj_recorder_state *s, uint64_t pc, uint32_t *site)
{
    if (dj_live_sites_slot(&s->sites, pc)->key == 0 && !dj_live_sites_in_module(&s->sites, pc)) {
        int err = dj_recorder_modules(s);
        if (err)
            return err;
    }
    return dj_live_sites_find_call(&s->sites, s->context, s->batch, pc, site);
}

static int begin_statement(dj_recorder_state *s, const dj_call *call)
{
    uint32_t site;
    int err = find_site(s, call->pc, &site);
    return err ? err : add_event(s, DJ_EVENT_STATEMENT, site, ++s->statements, 0, "");
}

static int record_access(dj_recorder_state *s, const dj_call *call)
{
    const dj_record *record = dj_records_find(&s->records, call->a);
    uint64_t offset = record ? call->b - record->base : 0;
    uint32_t site = 0;
    if (!record || offset >= record->bytes) {
        atomic_fetch_add_explicit(&s->outside, 1, memory_order_relaxed);
        return DJ_OK;
    }
    uint64_t index = dj_record_index(record, offset), number = record->first + index;
    int err = DJ_OK;
    if (record->cells)
        err = dj_cells_number(&s->records, s->context, record, record->base + index * record->element_bytes,
                              &number);
    if (!err)
        err = find_site(s, call->pc, &site);
    uint32_t at = s->batch->count;
    s->into.address[at] = number;
    s->into.site[at] = site;
    s->into.kind[at] = (uint8_t)call->kind;
    s->batch->count = at + 1;
    return err || at + 1 < DJ_BATCH_CAPACITY ? err : dj_recorder_swap(s);
}

static int record_other(dj_recorder_state *s, dj_caller *caller, const dj_call *call)
{
    bool known;
    int err;
    switch (call->type) {
    case DJ_CALL_DATA:
        return dj_records_data(&s->records, s->context, call->a, call->b, call->c, call->text);
    case DJ_CALL_PARTIAL:
        err = dj_records_partial(&s->records, s->context, call->a, call->b, &known);
        return err;
    case DJ_CALL_FORGET:
        return dj_records_forget(&s->records, s->context, call->a);
    case DJ_CALL_STATEMENT:
        return s->config.statements ? begin_statement(s, call) : DJ_OK;
    case DJ_CALL_REGION:
        return add_event(s, DJ_EVENT_REGION, call->kind != 0, 0, 0, call->text ? call->text : "");
    case DJ_CALL_THREAD_NAME:
        return add_event(s, DJ_EVENT_THREAD, caller->id, 0, 0, call->text ? call->text : "");
    case DJ_CALL_ACCESS:
        break;
    }
    return record_access(s, call);
}

int dj_recorder_do(dj_recorder_state *s, dj_caller *caller, const dj_call *call)
{
    if (s->err)
        return s->err;
    if (__builtin_expect(!s->batch, 0))
        s->err = dj_recorder_swap(s);
    if (__builtin_expect(s->thread != caller->id, 0) && !s->err) {
        s->thread = caller->id;
        s->err = add_event(s, DJ_EVENT_THREAD, caller->id, 0, 0, "");
    }
    if (!s->err)
        s->err = __builtin_expect(call->type == DJ_CALL_ACCESS, 1) ? record_access(s, call)
                                                                   : record_other(s, caller, call);
    if (__builtin_expect(atomic_load_explicit(&s->flush_requested, memory_order_relaxed), 0) && !s->err)
        s->err = dj_recorder_swap(s);
    return s->err;
}
