// SPDX-License-Identifier: MIT
// How long chunks are. All keys stand before each chunk and cost as much there as
// new accesses do, so chunks are some times longer than there are keys, if the
// device has the memory. What it has memory for costs little as long as it is not
// used, but to change it later takes all keys through this machine.
#include "engine/gpu_side.h"

#include "base/machine.h"

enum {
    MOST_ROOM = 1 << 28,   // for keys, and for the accesses of a chunk, at first
    FIRST_SHARE = 4,       // of the device's memory that is free, one byte in so many at first
    FIRST_CHUNK = 1 << 24, // two or three milliseconds on a large device
    FIRST_TOLD = 1 << 23,  // the same where each distance comes back
    LEAST_CHUNK = 1 << 16,
    LEAST_ASKED = 16,
    CHUNK_KEYS = 4, // accesses of a chunk for each key
    MOST_KEYS = 32, // keys for each access of a chunk; with more engine fast is as good
    // In the memory of this machine, of an access that waits for its answer: address, key and distance.
    ACCESS_BYTES = 40,
    TAG_BYTES = 8,
    TIME_BYTES = 16,
    CHUNKS = 3,       // that wait: put, analyzed, answered
    MEMORY_SHARE = 4, // one in so many bytes of the memory may wait
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

void dj_gpu_size_first(const dj_gpu_limits *limits, uint64_t bytes, dj_gpu_config *config)
{
    uint64_t room = MOST_ROOM, smallest = limits->asked_chunk ? LEAST_ASKED : LEAST_CHUNK;
    do {
        config->chunk = limits->asked_chunk ? limits->asked_chunk : least(room, limits->most_chunk);
        config->carried = room;
        room /= 2;
    } while (room >= smallest && dj_gpu_bytes(config) > bytes / FIRST_SHARE);
}

void dj_gpu_size_more(const dj_gpu_limits *limits, uint64_t keys, dj_gpu_config *config)
{
    uint64_t carried = config->carried;
    while (carried <= 2 * keys)
        carried *= 2;
    if (!limits->asked_chunk)
        config->chunk = least(largest(config->chunk, CHUNK_KEYS * carried), limits->most_chunk);
    config->carried = carried;
}

uint64_t dj_gpu_size_chunk(const dj_gpu_limits *limits, const dj_gpu_config *config, uint64_t keys)
{
    uint64_t chunk = config->use & DJ_CAN_TOTALS ? FIRST_CHUNK : FIRST_TOLD;
    while (chunk < CHUNK_KEYS * keys)
        chunk *= 2;
    return limits->asked_chunk ? config->chunk : least(chunk, least(config->chunk, limits->most_chunk));
}

bool dj_gpu_size_shrink(const dj_gpu_limits *limits, uint64_t keys, dj_gpu_config *config)
{
    uint64_t chunk = largest(LEAST_CHUNK, keys / MOST_KEYS), carried = keys + keys / 8 + 1;
    if (limits->asked_chunk)
        chunk = least(limits->asked_chunk, LEAST_ASKED);
    if (config->chunk > chunk && (config->chunk >= config->carried || config->carried <= carried))
        config->chunk = largest(config->chunk / 2, chunk);
    else if (config->carried > carried)
        config->carried = largest(config->carried / 2, carried);
    else
        return false;
    return true;
}
