// SPDX-License-Identifier: MIT
// Accesses of one statement instance: those to one element count once, as a
// read, a write, or both. What the instance has touched lies at the end of the
// batch, found through a small table.
#include "record/recorder.h"

#include <stdlib.h>
#include <string.h>

enum { TABLE_BITS = 15, TABLE = 1 << TABLE_BITS, TOUCHED_MOST = TABLE / 2, ROOM = 256 };

typedef struct touched {
    uint64_t number;
    uint32_t instance; // of another one: free
    uint32_t at;       // in the batch
    uint64_t swaps;    // which batch
} touched;

struct dj_statement {
    uint32_t instance, count;
    touched table[TABLE];
};

static void forget(dj_statement *t)
{
    t->count = 0;
    if (++t->instance == 0) {
        memset(t, 0, sizeof *t);
        t->instance = 1;
    }
}

// A statement should lie in one batch, so that an access can become both a read and a write.
int dj_statement_begin(dj_recorder_state *s, dj_caller *caller)
{
    if (!caller->statement)
        caller->statement = calloc(1, sizeof *caller->statement);
    if (!caller->statement)
        return dj_fail_memory(s->context, "the statements", sizeof *caller->statement);
    forget(caller->statement);
    return s->batch->count > DJ_BATCH_CAPACITY - ROOM ? dj_recorder_swap(s) : DJ_OK;
}

bool dj_statement_merge(dj_recorder_state *s, dj_statement *t, uint64_t number, uint8_t kind)
{
    if (t->count == TOUCHED_MOST)
        forget(t);
    uint64_t at = number * UINT64_C(0x9e3779b97f4a7c15) >> (64 - TABLE_BITS);
    while (t->table[at].instance == t->instance && t->table[at].number != number)
        at = (at + 1) & (TABLE - 1);
    touched *entry = &t->table[at];
    if (entry->instance == t->instance) {
        if (entry->swaps == s->swaps && s->into.kind[entry->at] != kind)
            s->into.kind[entry->at] = DJ_KIND_MODIFY;
        return true;
    }
    *entry = (touched){number, t->instance, s->batch->count, s->swaps};
    t->count++;
    return false;
}
