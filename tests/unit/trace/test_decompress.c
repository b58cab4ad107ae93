// SPDX-License-Identifier: MIT
// Decompression: complete, in parts, truncated at every byte, with every byte changed.
#include "unit/compress.h"

#include "support/context.h"
#include "trace/input/input.h"

// Reads `data` to its end in steps of `step`; *out receives the result.
static int read_all(const void *data, size_t bytes, size_t step, blob *out)
{
    dj_input *input = NULL;
    uint8_t *piece = malloc(step);
    size_t got = step;
    int err = dj_input_open_memory(context, data, bytes, "memory", &input);
    while (!err && got == step) {
        err = dj_input_read(context, input, piece, step, &got);
        blob_append(out, piece, got);
    }
    free(piece);
    dj_input_close(input);
    return err;
}

static blob sample(size_t bytes)
{
    blob b = {0};
    uint32_t x = 1;
    for (size_t i = 0; i < bytes; i++) {
        x = x * 1664525u + 1013904223u;
        uint8_t byte = (uint8_t)(x >> 29);
        blob_append(&b, &byte, 1);
    }
    return b;
}

typedef void adder(blob *to, const void *data, size_t bytes);

static void add_zip_of_three(blob *to, const void *data, size_t bytes)
{
    add_zip(to, data, bytes, 3);
}

static adder *const adders[] = {add_gzip, add_zstd, add_xz, add_zip_of_three};
static const size_t magic_bytes[] = {3, 4, 6, 4};
enum { GZIP, ZSTD, XZ, ZIP, KINDS };

static void complete_data_round_trips_in_every_step(void **state)
{
    (void)state;
    blob plain = sample(700000);
    static const size_t steps[] = {999, 700000, 1 << 20};
    for (size_t kind = 0; kind < KINDS; kind++) {
        blob packed = {0};
        adders[kind](&packed, plain.data, plain.bytes);
        assert_true(packed.bytes < plain.bytes);
        for (size_t i = 0; i < 3; i++) {
            blob out = {0};
            assert_int_equal(read_all(packed.data, packed.bytes, steps[i], &out), DJ_OK);
            assert_int_equal(out.bytes, plain.bytes);
            assert_memory_equal(out.data, plain.data, plain.bytes);
            free(out.data);
        }
        free(packed.data);
    }
    free(plain.data);
}

// Separately compressed parts form one stream; empty parts contribute nothing.
static void concatenated_parts_form_one_stream(void **state)
{
    (void)state;
    blob plain = sample(3000);
    for (size_t kind = GZIP; kind <= XZ; kind++) {
        blob packed = {0}, out = {0};
        adders[kind](&packed, plain.data, 1000);
        adders[kind](&packed, plain.data, 0);
        adders[kind](&packed, plain.data + 1000, 2000);
        assert_int_equal(read_all(packed.data, packed.bytes, 64, &out), DJ_OK);
        assert_int_equal(out.bytes, 3000);
        assert_memory_equal(out.data, plain.data, 3000);
        free(packed.data);
        free(out.data);
    }
    free(plain.data);
}

static void data_cut_anywhere_is_refused(void **state)
{
    (void)state;
    blob plain = sample(600);
    for (size_t kind = 0; kind < KINDS; kind++) {
        blob packed = {0};
        adders[kind](&packed, plain.data, 200);
        size_t boundary = packed.bytes;
        if (kind != ZIP)
            adders[kind](&packed, plain.data + 200, 400);
        for (size_t bytes = magic_bytes[kind]; bytes < packed.bytes; bytes++) {
            blob out = {0};
            int err = read_all(packed.data, bytes, 64, &out);
            assert_int_equal(err, bytes == boundary ? DJ_OK : DJ_ERR_INPUT);
            assert_true(bytes != boundary || out.bytes == 200);
            assert_true(out.bytes <= 600);
            assert_memory_equal(out.data ? out.data : plain.data, plain.data, out.bytes);
            assert_true(err == DJ_OK || strncmp(dj_context_message(context), "memory: ", 8) == 0);
            free(out.data);
        }
        free(packed.data);
    }
    free(plain.data);
}

// A changed byte is detected, unless it does not matter.
static void changed_bits_are_detected(void **state)
{
    (void)state;
    blob plain = sample(300);
    for (size_t kind = 0; kind < KINDS; kind++) {
        blob packed = {0};
        adders[kind](&packed, plain.data, plain.bytes);
        size_t found = 0;
        for (size_t i = magic_bytes[kind]; i < packed.bytes; i++) {
            for (unsigned bit = 0; bit < 8; bit++) {
                blob out = {0};
                packed.data[i] ^= (uint8_t)(1u << bit);
                int err = read_all(packed.data, packed.bytes, 64, &out);
                packed.data[i] ^= (uint8_t)(1u << bit);
                assert_true(err == DJ_OK || err == DJ_ERR_INPUT);
                found += err == DJ_ERR_INPUT;
                if (err == DJ_OK && kind != ZIP) { // a zip directory can omit members
                    assert_int_equal(out.bytes, plain.bytes);
                    assert_memory_equal(out.data, plain.data, plain.bytes);
                }
                free(out.data);
            }
        }
        assert_true(found > packed.bytes * 4);
        free(packed.data);
    }
    free(plain.data);
}

static void refused(const void *data, size_t bytes, const char *message)
{
    blob out = {0};
    assert_int_equal(read_all(data, bytes, 64, &out), DJ_ERR_INPUT);
    assert_non_null(strstr(dj_context_message(context), message));
    free(out.data);
}

static void only_padding_may_follow(void **state)
{
    (void)state;
    blob packed = {0}, out = {0};
    add_gzip(&packed, "abc", 3);
    size_t bytes = packed.bytes;
    blob_append(&packed, "\0\0\0\0", 4); // padding of a tape
    assert_int_equal(read_all(packed.data, packed.bytes, 64, &out), DJ_OK);
    assert_int_equal(out.bytes, 3);
    packed.data[bytes] = 'x';
    refused(packed.data, packed.bytes, "other data follows");
    free(out.data);
    free(packed.data);

    packed = (blob){0};
    add_zstd(&packed, "abc", 3);
    blob_append(&packed, "x123", 4);
    refused(packed.data, packed.bytes, "memory: byte");
    free(packed.data);

    packed = (blob){0};
    add_xz(&packed, "abc", 3);
    blob_append(&packed, "x123", 4);
    refused(packed.data, packed.bytes, "memory: byte");
    free(packed.data);
}

// Declared sizes beyond the limits are refused before memory is allocated.
static void huge_declared_sizes_are_refused(void **state)
{
    (void)state;
    // A zstd frame without content size and a window of 2^31 bytes (exponent 21, mantissa 0).
    static const uint8_t zstd_frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 21 << 3, 0x01, 0x00, 0x00};
    refused(zstd_frame, sizeof zstd_frame, "zstd");
    // One segment that declares 2^62 bytes and contains one.
    static const uint8_t zstd_segment[] = {0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0,  0,
                                           0,    0,    0,    0x40, 0x09, 0, 0, 'x'};
    refused(zstd_segment, sizeof zstd_segment, "zstd");

    // xz: the block header of a small one with another dictionary size.
    blob packed = {0};
    add_xz(&packed, "abc", 3);
    uint8_t *header = packed.data + 12;
    size_t bytes = 4 * (header[0] + 1u);
    uint8_t *filter = memmem(header, bytes, "\x21\x01", 2); // LZMA2, one byte of properties
    assert_non_null(filter);
    filter[2] = 36; // 2^30 bytes
    uint32_t crc = lzma_crc32(header, bytes - 4, 0);
    for (unsigned i = 0; i < 4; i++)
        header[bytes - 4 + i] = (uint8_t)(crc >> 8 * i);
    refused(packed.data, packed.bytes, "dictionary is too large");
    free(packed.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(complete_data_round_trips_in_every_step),
        cmocka_unit_test(concatenated_parts_form_one_stream),
        cmocka_unit_test(data_cut_anywhere_is_refused),
        cmocka_unit_test(only_padding_may_follow),
        cmocka_unit_test(changed_bits_are_detected),
        cmocka_unit_test(huge_declared_sizes_are_refused),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
