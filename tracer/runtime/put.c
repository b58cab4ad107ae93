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
        dj_ring_writer *writer = dj_rt_writer;
        const uint64_t limit = writer->cursor ? dj_rt_frame_limit(writer) : 0;
        if (writer->cursor && writer->cursor + 8 * (uint64_t)words <= limit + 8) {
            if (dj_rt_is_open())
                writer->limit = limit;
            return (uint64_t *)writer->cursor;
        }
        if (!dj_rt_ensure_space(words))
            return NULL;
    }
}

// The burst may end with the frame that was full: what comes after it would be a burst of its own.
static DJ_RT_HOT __attribute__((noinline)) void put_here(uint64_t head, uint64_t word)
{
    uint64_t *at = space_for(2);
    if (!at || dj_rt_gap)
        return;
    at[0] = head;
    at[1] = word;
    __atomic_store_n(&dj_rt_writer->cursor, (uint64_t)(at + 2), __ATOMIC_RELEASE);
}

// Saves no registers, since in a gap this is all that an access costs.
DJ_RT_HOT void dj_rt_put_slow(uint64_t head, uint64_t word)
{
    if (dj_rt_off)
        return;
    if (dj_rt_gap) {
        if (--dj_rt_left <= 0)
            dj_rt_put_sampled(head, word);
    } else if (dj_rt_own_burst != dj_rt_burst) {
        dj_rt_put_sampled(head, word);
    } else {
        put_here(head, word);
    }
}

static bool is_access(enum dj_record_type type)
{
    return type == DJ_RECORD_RANGE || type == DJ_RECORD_COPY || type == DJ_RECORD_STATEMENT;
}

DJ_RT_HOT void dj_rt_put_record(enum dj_record_type type, uint32_t id, const uint64_t *words, unsigned count,
                                const char *text)
{
    enum { MOST = DJ_RT_FRAME_WORDS - 8 };
    if (dj_rt_off || (dj_rt_gap && is_access(type)))
        return;
    unsigned length = text ? (unsigned)dj_rt_length(text) : 0;
    unsigned text_words = (length + 7) / 8;
    if (1 + count + text_words > MOST) {
        text_words = MOST - 1 - count;
        length = text_words * 8;
    }
    uint64_t *at = space_for(1 + count + text_words);
    if (!at || (dj_rt_gap && is_access(type)))
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
