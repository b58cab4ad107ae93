// SPDX-License-Identifier: MIT
#include "pipeline/lanes/keyer.h"

void dj_keyer_init(dj_keyer *keyer, uint64_t block)
{
    *keyer = (dj_keyer){.block = block, .shift = -1};
    if ((block & (block - 1)) == 0)
        keyer->shift = __builtin_ctzll(block);
}

static uint64_t reverse_bits(uint32_t value)
{
    uint64_t v = value;
    v = (v & 0x55555555u) << 1 | (v >> 1 & 0x55555555u);
    v = (v & 0x33333333u) << 2 | (v >> 2 & 0x33333333u);
    v = (v & 0x0f0f0f0fu) << 4 | (v >> 4 & 0x0f0f0f0fu);
    return (uint64_t)__builtin_bswap32((uint32_t)v) << 32;
}

static int check_fit(const dj_keyer *keyer, dj_context *context)
{
    if ((reverse_bits(keyer->devices_seen) == 0) || keyer->blocks_seen == 0)
        return DJ_OK;
    int block_bits = 64 - __builtin_clzll(keyer->blocks_seen);
    int device_bits = 32 - __builtin_clz(keyer->devices_seen);
    if (block_bits + device_bits <= 64)
        return DJ_OK;
    return dj_fail(context, DJ_ERR_INPUT,
                   "device numbers of %d bits and block numbers of %d bits do not fit into one key; "
                   "the addresses look wrong, or a larger --block is needed",
                   device_bits, block_bits);
}

static void divide(const dj_keyer *keyer, const uint64_t *address, uint32_t count, uint64_t *out)
{
    if (keyer->shift >= 0) {
        int shift = keyer->shift;
        for (uint32_t i = 0; i < count; i++)
            out[i] = address[i] >> shift;
    } else {
        uint64_t block = keyer->block;
        for (uint32_t i = 0; i < count; i++)
            out[i] = address[i] / block;
    }
}

int dj_keyer_keys(dj_keyer *keyer, dj_context *context, const dj_batch *batch, uint64_t *buffer,
                  const uint64_t **keys)
{
    const uint32_t *device = batch->column.device;
    if (keyer->shift == 0 && !device) {
        *keys = batch->column.address;
        return DJ_OK;
    }
    divide(keyer, batch->column.address, batch->count, buffer);
    *keys = buffer;
    if (!device)
        return DJ_OK;
    uint64_t blocks = keyer->blocks_seen;
    uint32_t devices = keyer->devices_seen;
    for (uint32_t i = 0; i < batch->count; i++) {
        blocks |= buffer[i];
        devices |= device[i];
        buffer[i] ^= reverse_bits(device[i]);
    }
    keyer->blocks_seen = blocks;
    keyer->devices_seen = devices;
    return check_fit(keyer, context);
}

uint64_t dj_keyer_key(const dj_keyer *keyer, uint64_t address, uint32_t device)
{
    uint64_t block = keyer->shift >= 0 ? address >> keyer->shift : address / keyer->block;
    return block ^ reverse_bits(device);
}

void dj_keyer_split(const dj_keyer *keyer, uint64_t key, uint64_t *block, uint32_t *device)
{
    const int bits = keyer->devices_seen ? 32 - __builtin_clz(keyer->devices_seen) : 0;
    *block = key & UINT64_MAX >> bits;
    *device = (uint32_t)(reverse_bits((uint32_t)((key ^ *block) >> 32)) >> 32);
}

int dj_keyer_merge(dj_keyer *keyer, dj_context *context, const dj_keyer *other)
{
    keyer->blocks_seen |= other->blocks_seen;
    keyer->devices_seen |= other->devices_seen;
    return check_fit(keyer, context);
}
