// SPDX-License-Identifier: MIT
// oracleGeneral (libCacheSim): 24 bytes, little-endian: u32 time in seconds, u64 object, u32 bytes, i64
// position of its next access, counted from 0 or 1.
#include "base/little_endian.h"
#include "trace/input/input.h"
#include "trace/parse/fields.h"
#include "trace/registry.h"

enum { RECORD = 24, AT_OBJECT = 4, AT_SIZE = 12, AT_NEXT = 16 };

// The two encodings of "not accessed again".
static bool is_never(uint64_t next)
{
    return next == UINT64_MAX || next == INT64_MAX;
}

// Whether the next access that record `index` names is possible and, if it is in the head, is an access to
// the same object. `known` is set if the head shows that it is right, or if there is none.
static bool next_is_right(const dj_head *head, size_t index, bool *known)
{
    const uint8_t *record = head->data + index * RECORD;
    uint64_t object = dj_read_le64(record + AT_OBJECT);
    uint64_t next = dj_read_le64(record + AT_NEXT);
    if (is_never(next))
        return *known = true;
    if (next <= index || next > (uint64_t)1 << 48)
        return false;
    if (next >= head->bytes / RECORD)
        return true;
    *known = true;
    return dj_read_le64(head->data + next * RECORD + AT_OBJECT) == object ||
           dj_read_le64(head->data + (next - 1) * RECORD + AT_OBJECT) == object;
}

static int oracle_probe(const dj_head *head)
{
    size_t count = head->bytes / RECORD;
    bool known = false;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *record = head->data + i * RECORD;
        if (!next_is_right(head, i, &known) || (i && dj_read_le32(record) < dj_read_le32(record - RECORD)))
            return 0;
    }
    // Without one next access that is known to be right, these may be any increasing numbers.
    if (!known || (head->whole && head->bytes % RECORD))
        return 0;
    return count < 4 ? 40 : 80;
}

static int oracle_open(dj_context *context, dj_input *input, const dj_source_options *options, void **state)
{
    (void)context;
    (void)input;
    static const bool untimed = false, timed = true;
    *state = (void *)(uintptr_t)(options->clock ? &timed : &untimed);
    return DJ_OK;
}

static int oracle_read(void *state, dj_context *context, dj_input *input, dj_batch *batch)
{
    const bool timed = *(const bool *)state;
    dj_batch_buffers to = dj_batch_writable(batch);
    dj_batch_set_columns(batch, DJ_COLUMN_SIZE | (timed ? DJ_COLUMN_CLOCK : 0u));
    while (batch->count < DJ_BATCH_CAPACITY) {
        dj_span span;
        int err = dj_input_peek_records(context, input, RECORD, DJ_BATCH_CAPACITY - batch->count, &span);
        if (err || span.bytes == 0)
            return err;
        for (size_t at = 0; at < span.bytes; at += RECORD) {
            to.address[batch->count] = dj_read_le64(span.data + at + AT_OBJECT);
            to.size[batch->count] = dj_read_le32(span.data + at + AT_SIZE);
            if (timed)
                to.clock[batch->count] = dj_read_le32(span.data + at) * (uint64_t)DJ_CLOCK_S;
            batch->count++;
        }
        dj_input_consume(input, span.bytes);
    }
    return DJ_OK;
}

static void oracle_close(void *state)
{
    (void)state;
}

const dj_format dj_format_oracle_general = {
    .info = {"oracleGeneral", "libCacheSim: time, object, size, next access in 24 bytes",
             ".oracleGeneral.bin .oracleGeneral", DJ_CLASS_KEYS, true},
    .default_block = 1,
    .columns = DJ_COLUMN_SIZE,
    .provides = DJ_COLUMN_CLOCK,
    .probe = oracle_probe,
    .open = oracle_open,
    .read = oracle_read,
    .close = oracle_close,
    .grows_by = RECORD,
};
