// SPDX-License-Identifier: MIT
#include "fuzz/fix_checksums.h"

#include "base/little_endian.h"
#include "trace/stream/format.h"

static void put_checksum(uint8_t *to, const uint8_t *data, size_t bytes)
{
    dj_write_le64(to, dj_stream_checksum(data, bytes));
}

void fuzz_fix_checksums(uint8_t *data, size_t bytes)
{
    if (bytes < DJ_STREAM_HEADER_BYTES)
        return;
    size_t at = dj_read_le32(data + 12);
    if (at < DJ_STREAM_HEADER_BYTES || at > bytes)
        return;
    put_checksum(data + at - 8, data, at - 8);
    while (bytes - at >= DJ_FRAME_HEADER_BYTES) {
        uint8_t *header = data + at;
        size_t payload = dj_read_le32(header + 8);
        at += DJ_FRAME_HEADER_BYTES;
        if (payload > bytes - at)
            payload = 0;
        put_checksum(header + 32, data + at, payload);
        put_checksum(header + 40, header, 40);
        at += payload;
    }
}
