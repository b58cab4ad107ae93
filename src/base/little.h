// SPDX-License-Identifier: MIT
// Little-endian numbers at any address.
#ifndef DEJA_BASE_LITTLE_H
#define DEJA_BASE_LITTLE_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t dj_little_u16(const uint8_t *at)
{
    uint16_t value;
    memcpy(&value, at, sizeof value);
    return le16toh(value);
}

static inline uint32_t dj_little_u32(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return le32toh(value);
}

static inline uint64_t dj_little_u64(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return le64toh(value);
}

static inline void dj_little_put16(uint8_t *at, uint16_t value)
{
    value = htole16(value);
    memcpy(at, &value, sizeof value);
}

static inline void dj_little_put32(uint8_t *at, uint32_t value)
{
    value = htole32(value);
    memcpy(at, &value, sizeof value);
}

static inline void dj_little_put64(uint8_t *at, uint64_t value)
{
    value = htole64(value);
    memcpy(at, &value, sizeof value);
}

#endif
