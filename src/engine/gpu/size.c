// SPDX-License-Identifier: MIT
// The length of chunks. All keys precede each chunk and cost as much there as new accesses do, so
// chunks are several times longer than the number of keys if the device has the memory. If each
// distance is returned, they are shorter, since pinned memory for the answers is expensive: pinning it
// takes longer than the analysis.
#include "engine/gpu/worker.h"

#include "base/machine.h"

enum {
    FIRST_CHUNK = 1 << 24,    // two or three milliseconds on a large device
    FIRST_ANSWERED = 1 << 23, // the same if each distance is returned
    FIRST_KEYS = 1 << 22,     // initial capacity
    MOST_CHUNK = 1 << 28,
    LEAST_CHUNK = 1 << 16,
    LEAST_ASKED = 16,
    CHUNK_KEYS = 4,    // accesses of a chunk per key
    ANSWERED_KEYS = 4, // keys per access of a chunk, if each distance is returned
    MOST_KEYS = 32,    // keys per access of a chunk; with more, engine fast is as good
    // Host memory of an access that waits for its answer: address, key and distance.
    ACCESS_BYTES = 40,
    TAG_BYTES = 8,
    TIME_BYTES = 16,
    CHUNKS = 3,       // waiting: copied, analyzed, answered
    MEMORY_SHARE = 4, // at most one in this many bytes of memory may wait
};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t largest(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

uint64_t dj_gpu_size_most(uint32_t use)
{
    uint64_t bytes = ACCESS_BYTES, memory = dj_machine_usable_bytes();
    bytes += use & DJ_CAN_TAGS ? TAG_BYTES : 0;
    bytes += use & DJ_CAN_TIMES ? TIME_BYTES : 0;
    return use & DJ_CAN_TOTALS
               ? DJ_GPU_MOST
               : largest(LEAST_CHUNK, memory ? memory / MEMORY_SHARE / (CHUNKS * bytes) : FIRST_CHUNK);
}

static uint64_t chunk_for(const dj_gpu_limits *limits, uint32_t use, uint64_t keys)
{
    bool answered = !(use & DJ_CAN_TOTALS);
    uint64_t chunk = answered ? FIRST_ANSWERED : FIRST_CHUNK,
             wanted = answered ? keys / ANSWERED_KEYS : keys * CHUNK_KEYS;
    while (chunk < wanted && chunk < MOST_CHUNK)
        chunk *= 2;
    return limits->asked_chunk ? limits->asked_chunk : least(chunk, limits->most_chunk);
}

void dj_gpu_size_first(const dj_gpu_limits *limits, dj_gpu_config *config)
{
    config->chunk = chunk_for(limits, config->use, 0);
    config->key_capacity = limits->asked_chunk ? least(config->chunk, FIRST_KEYS) : FIRST_KEYS;
}

void dj_gpu_size_more(const dj_gpu_limits *limits, uint64_t keys, dj_gpu_config *config)
{
    while (config->key_capacity <= 2 * keys)
        config->key_capacity *= 2;
    config->chunk = largest(config->chunk, chunk_for(limits, config->use, config->key_capacity));
}

uint64_t dj_gpu_size_chunk(const dj_gpu_limits *limits, const dj_gpu_config *config, uint64_t keys)
{
    return least(chunk_for(limits, config->use, keys), config->chunk);
}

bool dj_gpu_size_shrink(const dj_gpu_limits *limits, uint64_t keys, dj_gpu_config *config)
{
    uint64_t chunk = largest(LEAST_CHUNK, keys / MOST_KEYS), least_keys = keys + keys / 8 + 1;
    if (limits->asked_chunk)
        chunk = least(limits->asked_chunk, LEAST_ASKED);
    if (config->chunk > chunk &&
        (config->chunk >= config->key_capacity || config->key_capacity <= least_keys))
        config->chunk = largest(config->chunk / 2, chunk);
    else if (config->key_capacity > least_keys)
        config->key_capacity = largest(config->key_capacity / 2, least_keys);
    else
        return false;
    return true;
}
