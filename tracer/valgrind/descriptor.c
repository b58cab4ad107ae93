// SPDX-License-Identifier: MIT
#include "tool.h"

// All descriptors sent so far, in chunks, for forked children.
typedef struct chunk {
    struct chunk *next;
    UInt used;
    uint64_t words[DJ_RING_FRAME_WORDS];
} chunk;

static chunk *first_chunk;
static chunk *last_chunk;
static uint32_t last_id;

void dj_descriptor_begin(dj_descriptor *segment, Addr pc)
{
    segment->count = 0;
    segment->words[0] = pc;
}

void dj_descriptor_span(dj_descriptor *segment, Addr last, Addr after)
{
    Addr first = segment->words[0];
    Bool straight = first <= last && last < after && after - first < 1 << 24;
    segment->words[1] = straight ? (after - first) << 8 | (uint64_t)(last - first) << 40 : 0;
}

void dj_descriptor_add(dj_descriptor *segment, Addr pc, UInt size, UInt kind, UInt flags)
{
    tl_assert(segment->count < DJ_SEGMENT_MOST);
    uint64_t *access = &segment->words[3 + 2 * segment->count++];
    access[0] = pc;
    access[1] = size | (uint64_t)kind << 32 | (uint64_t)flags << 40;
}

static uint64_t *last_access(dj_descriptor *segment)
{
    return &segment->words[3 + 2 * (segment->count - 1)];
}

void dj_descriptor_refer(dj_descriptor *segment, UInt word, Int delta)
{
    uint64_t *access = last_access(segment);
    access[0] |= (uint64_t)word << 48;
    access[1] |= (uint64_t)(UShort)delta << 48;
}

void dj_descriptor_modify(dj_descriptor *segment)
{
    uint64_t *access = last_access(segment);
    access[1] = (access[1] & ~((uint64_t)0xff << 32)) | (uint64_t)DJ_TRACED_MODIFY << 32;
}

// Code that is translated again, after its translation was discarded, has the same descriptors.
typedef struct sent {
    struct _VgHashNode *next;
    UWord hash;
    const uint64_t *words; // with their record
} sent;

static VgHashTable *all_sent;

static UWord hash_words(const uint64_t *words, UInt count)
{
    UWord hash = count;
    for (UInt i = 0; i < count; i++) {
        hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15ULL;
        hash ^= hash >> 29;
    }
    return hash;
}

static const sent *find_sent(UWord hash, const uint64_t *words, UInt count)
{
    const sent *found = all_sent ? VG_(HT_lookup)(all_sent, hash) : NULL;
    return found && DJ_RECORD_WORDS(found->words[0]) == count &&
                   VG_(memcmp)(found->words + 1, words, count * sizeof *words) == 0
               ? found
               : NULL;
}

static void remember_sent(UWord hash, const uint64_t *words)
{
    if (!all_sent)
        all_sent = VG_(HT_construct)("deja.sent");
    if (VG_(HT_lookup)(all_sent, hash))
        return;
    sent *added = VG_(malloc)("deja.sent", sizeof *added);
    added->hash = hash;
    added->words = words;
    VG_(HT_add_node)(all_sent, added);
}

static const uint64_t *keep(uint32_t id, const uint64_t *words, UInt count)
{
    if (!last_chunk || last_chunk->used + 1 + count > DJ_RING_FRAME_WORDS) {
        chunk *fresh = VG_(malloc)("deja.segments", sizeof *fresh);
        fresh->next = NULL;
        fresh->used = 0;
        *(last_chunk ? &last_chunk->next : &first_chunk) = fresh;
        last_chunk = fresh;
    }
    uint64_t *at = last_chunk->words + last_chunk->used;
    *at = DJ_RECORD(DJ_RECORD_DEFINE, count, id);
    VG_(memcpy)(at + 1, words, count * sizeof *words);
    last_chunk->used += 1 + count;
    return at;
}

void dj_descriptor_define(dj_descriptor *segment, enum dj_segment_ending ending, uint64_t target)
{
    segment->words[1] = (segment->words[1] & ~(uint64_t)0xff) | (uint64_t)ending;
    segment->words[2] = target;
    UInt count = 3 + 2 * segment->count;
    UWord hash = dj_bursts_used() ? hash_words(segment->words, count) : 0;
    const sent *before = dj_bursts_used() ? find_sent(hash, segment->words, count) : NULL;
    segment->id = before ? DJ_RECORD_ID(before->words[0]) : ++last_id;
    if (before)
        return;
    const uint64_t *kept = keep(segment->id, segment->words, count);
    if (dj_bursts_used())
        remember_sent(hash, kept);
    dj_ring_put(DJ_RECORD_DEFINE, segment->id, segment->words, count);
}

void dj_descriptors_send_again(void)
{
    for (const chunk *here = first_chunk; here; here = here->next) {
        UInt count;
        for (UInt i = 0; i < here->used; i += 1 + count) {
            count = DJ_RECORD_WORDS(here->words[i]);
            dj_ring_put(DJ_RECORD_DEFINE, DJ_RECORD_ID(here->words[i]), here->words + i + 1, count);
        }
    }
}
