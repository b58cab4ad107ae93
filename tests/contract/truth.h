// SPDX-License-Identifier: MIT
// The expected answers for a sample trace, by brute force.
#ifndef TESTS_CONTRACT_TRUTH_H
#define TESTS_CONTRACT_TRUTH_H

#include "contract/sample.h"

typedef struct sample_truth {
    uint32_t count;
    sample_piece *pieces;
} sample_truth;

static void sample_split(const sample *s, uint64_t block, bool split, sample_truth *truth)
{
    truth->count = 0;
    truth->pieces = calloc(SAMPLE_MOST * 60, sizeof *truth->pieces);
    for (uint32_t i = 0; i < s->count; i++) {
        sample_access a = s->accesses[i];
        uint64_t end = a.address + (a.size ? a.size : 1);
        uint64_t at = a.address;
        do {
            uint64_t cut = split && (at / block + 1) * block < end ? (at / block + 1) * block : end;
            sample_piece *p = &truth->pieces[truth->count++];
            p->access = a;
            p->access.address = at;
            p->access.offset += a.offset == DJ_NO_OFFSET ? 0 : at - a.address;
            if (split)
                p->access.size = cut - at;
            if (cut == end && at == a.address)
                p->access.size = a.size;
            p->request = i;
            at = cut;
        } while (at < end);
    }
}

static bool sample_same_block(const sample_access *a, const sample_access *b, uint64_t block)
{
    return a->device == b->device && a->address / block == b->address / block;
}

// What is stored about an access: its site or place in the first lane, in the others the number of its
// block in the previous lane. (Devices are in the upper half of keys.)
static uint32_t sample_tag(const sample_access *access, uint64_t finer_block, bool place_tags)
{
    if (finer_block)
        return (uint32_t)(access->address / finer_block);
    return place_tags ? access->place : access->site;
}

// Searches all earlier accesses for the previous one to the block, and counts distinct blocks in
// between by their last occurrences. `finer_block` is that of the previous lane, 0 for the first.
static inline void sample_answer(sample_truth *truth, uint32_t lane, uint64_t block, uint64_t finer_block,
                                 bool place_tags)
{
    for (uint32_t i = 0; i < truth->count; i++) {
        sample_piece *p = &truth->pieces[i];
        uint64_t distinct = 0, bytes = 0;
        uint32_t j = i;
        bool found = false;
        while (j-- > 0) {
            const sample_piece *q = &truth->pieces[j];
            if (sample_same_block(&p->access, &q->access, block)) {
                found = true;
                break;
            }
            bool later = false;
            for (uint32_t k = j + 1; k < i && !later; k++)
                later = sample_same_block(&q->access, &truth->pieces[k].access, block);
            distinct += !later;
            bytes += later ? 0 : q->access.size;
        }
        p->lanes[lane].distance = found ? distinct : DJ_COLD;
        p->lanes[lane].byte_distance = bytes;
        p->lanes[lane].prev_time = found ? j : DJ_COLD;
        p->lanes[lane].prev_tag = 0;
        if (found)
            p->lanes[lane].prev_tag = sample_tag(&truth->pieces[j].access, finer_block, place_tags);
    }
}

#endif
