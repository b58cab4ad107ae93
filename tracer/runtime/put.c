// SPDX-License-Identifier: MIT
// Records that do not take the fast path of dj_rt_put.
#include "core.h"
#include "text.h"

DJ_RT_THREAD unsigned dj_rt_depth;

// A handler may use up space between the check and the use, unless it interrupts this section; so the
// decisive check is here.
static inline __attribute__((always_inline)) uint64_t *space_for(unsigned words)
{
    for (;;) {
        const dj_ring_writer *writer = dj_rt_writer;
        if (writer->cursor && writer->cursor + 8 * (uint64_t)words <= writer->limit + 8)
            return (uint64_t *)writer->cursor;
        if (!dj_rt_ensure_space(words))
            return NULL;
    }
}

DJ_RT_HOT void dj_rt_put_slow(uint64_t head, uint64_t word)
{
    if (dj_rt_off)
        return;
    uint64_t *at = space_for(2);
    if (!at)
        return;
    at[0] = head;
    at[1] = word;
    __atomic_store_n(&dj_rt_writer->cursor, (uint64_t)(at + 2), __ATOMIC_RELEASE);
}

DJ_RT_HOT void dj_rt_put_record(enum dj_record_type type, uint32_t id, const uint64_t *words, unsigned count,
                                const char *text)
{
    enum { MOST = DJ_RT_FRAME_WORDS - 8 };
    if (dj_rt_off)
        return;
    unsigned length = text ? (unsigned)dj_rt_length(text) : 0;
    unsigned text_words = (length + 7) / 8;
    if (1 + count + text_words > MOST) {
        text_words = MOST - 1 - count;
        length = text_words * 8;
    }
    uint64_t *at = space_for(1 + count + text_words);
    if (!at)
        return;
    *at++ = DJ_RECORD(type, count + text_words, id);
    for (unsigned i = 0; i < count; i++)
        *at++ = words[i];
    if (text_words)
        at[text_words - 1] = 0;
    for (unsigned i = 0; i < length; i++)
        ((char *)at)[i] = text[i];
    __atomic_store_n(&dj_rt_writer->cursor, (uint64_t)(at + text_words), __ATOMIC_RELEASE);
}

bool dj_rt_is_traced(void)
{
    return !dj_rt_off && dj_rt_ring && !dj_rt_depth && !dj_rt_critical;
}

bool dj_rt_enter(void)
{
    if (dj_rt_off || !dj_rt_ring || dj_rt_depth)
        return false;
    dj_rt_depth++;
    return true;
}

void dj_rt_leave(void)
{
    dj_rt_depth--;
}
