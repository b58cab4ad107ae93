// SPDX-License-Identifier: MIT
// Blocks that browsers can inflate: raw deflate, several of them, each decompressed by zlib on its own.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "base/little_endian.h"
#include "base/pack.h"
#include "base/pack_block.h"
#include "support/context.h"

enum { NUMBERS = 700000 };

static uint64_t number_at(size_t i)
{
    return i % 7 == 0 ? UINT64_MAX - i : i * i;
}

static char *pack(size_t *bytes)
{
    char *data = NULL;
    dj_packer *packer = NULL;
    FILE *file = open_memstream(&data, bytes);
    assert_non_null(file);
    assert_int_equal(dj_packer_create_coded(context, file, DJ_PACK_DEFLATE, &packer), DJ_OK);
    for (size_t i = 0; i < NUMBERS; i++)
        dj_pack_number(packer, number_at(i));
    assert_int_equal(dj_packer_end(packer, context), DJ_OK);
    fclose(file);
    return data;
}

static void inflate_block(const uint8_t *stored, size_t stored_bytes, uint8_t *plain, size_t plain_bytes)
{
    z_stream z = {.next_in = (uint8_t *)(uintptr_t)stored,
                  .avail_in = (uInt)stored_bytes,
                  .next_out = plain,
                  .avail_out = (uInt)plain_bytes};
    assert_int_equal(inflateInit2(&z, -15), Z_OK);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    assert_int_equal(z.total_out, plain_bytes);
    assert_int_equal(z.avail_in, 0);
    inflateEnd(&z);
}

static void test_deflated_blocks(void **state)
{
    (void)state;
    size_t bytes = 0, used = 0, blocks = 0, ends = 0;
    char *data = pack(&bytes);
    uint8_t *plain = malloc((size_t)NUMBERS * DJ_PACK_NUMBER_MOST + 1);
    assert_non_null(plain);
    for (size_t at = 0; at < bytes; blocks++) {
        const uint8_t *head = (const uint8_t *)data + at;
        const size_t plain_bytes = dj_read_le32(head), stored = dj_read_le32(head + 4);
        assert_int_equal(ends, 0);
        assert_true(at + DJ_PACK_HEAD_BYTES + stored <= bytes);
        assert_int_equal(dj_read_le64(head + 8),
                         dj_pack_checksum(head + DJ_PACK_HEAD_BYTES, stored, plain_bytes, (uint32_t)blocks));
        if (plain_bytes > 0)
            inflate_block(head + DJ_PACK_HEAD_BYTES, stored, plain + used, plain_bytes);
        ends += plain_bytes == 0;
        used += plain_bytes;
        at += DJ_PACK_HEAD_BYTES + stored;
    }
    assert_int_equal(ends, 1);
    assert_true(blocks > 3);
    size_t at = 0;
    for (size_t i = 0; i < NUMBERS; i++) {
        uint64_t number = 0;
        unsigned shift = 0;
        for (; plain[at] > 0x7f; at++, shift += 7)
            number |= (uint64_t)(plain[at] & 0x7f) << shift;
        number |= (uint64_t)plain[at++] << shift;
        assert_true(number == number_at(i));
    }
    assert_int_equal(at, used);
    free(plain);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_deflated_blocks)};
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
