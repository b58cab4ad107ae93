// SPDX-License-Identifier: MIT
// Streams built byte by byte from docs/formats.md: a valid one, and many malformed ones with valid checksums.
#include "unit/stream.h"

#include "base/little_endian.h"
#include "support/context.h"
#include "trace/stream/format.h"

// An entry of the section table, and the section, uncompressed.
static void put_section(memory *to, const dj_frame_section *section, const void *data, uint32_t bytes,
                        memory *body)
{
    uint8_t entry[12] = {section->field, section->part, section->coding, section->compression};
    dj_write_le32(entry + 4, section->plain_bytes ? section->plain_bytes : bytes);
    dj_write_le32(entry + 8, section->stored_bytes ? section->stored_bytes : bytes);
    append(to, context, entry, sizeof entry);
    append(body, context, data, bytes);
}

static void put_frame(memory *to, const dj_frame_header *frame, const memory *payload)
{
    uint8_t header[48] = {0x89, 'D', 'J', 'F', frame->type, frame->flags};
    dj_write_le16(header + 6, frame->section_count);
    dj_write_le32(header + 8, (uint32_t)payload->bytes);
    dj_write_le32(header + 12, frame->count);
    dj_write_le32(header + 16, frame->columns);
    dj_write_le64(header + 24, frame->first);
    dj_write_le64(header + 32, dj_stream_checksum(payload->data, payload->bytes));
    dj_write_le64(header + 40, dj_stream_checksum(header, 40));
    append(to, context, header, sizeof header);
    append(to, context, payload->data, payload->bytes);
}

static void put_header(memory *to)
{
    // Version 1, class keys, no split, columns size and site, unit 0, default block 1, texts "pen" and "by
    // hand".
    uint8_t header[56 + 4 + 8 + 8] = {0x89, 'D', 'E', 'J', 'A', '\r', '\n', 0x1a, 1, 0, 0, 0, 76, 0, 0, 0, 2};
    header[20] = DJ_COLUMN_SIZE | DJ_COLUMN_SITE;
    header[32] = 1;
    header[40] = 4;
    header[44] = 8;
    memcpy(header + 56, "pen", 4);
    memcpy(header + 60, "by hand", 8);
    dj_write_le64(header + 68, dj_stream_checksum(header, 68));
    append(to, context, header, sizeof header);
}

// What a tracer that cannot compress would write, byte by byte according to docs/formats.md.
static void a_stream_built_from_the_specification_is_read(void **state)
{
    (void)state;
    memory stream = {0}, payload = {0}, body = {0};
    const uint8_t addresses[24] = {7, 0, 0, 0, 0,    0,    0,    0,    0,    1,    0,    0,
                                   0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    const uint8_t sizes[24] = {1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3};
    put_header(&stream);
    put_section(&payload, &(dj_frame_section){.field = DJ_FRAME_FIELD_ADDRESS}, addresses, 24, &body);
    put_section(&payload, &(dj_frame_section){.field = DJ_FRAME_FIELD_SIZE}, sizes, 24, &body);
    append(&payload, context, body.data, body.bytes);
    put_frame(&stream,
              &(dj_frame_header){
                  .type = DJ_FRAME_ACCESSES, .section_count = 2, .count = 3, .columns = DJ_COLUMN_SIZE},
              &payload);
    payload.bytes = body.bytes = 0;
    append(&payload, context, "to be skipped", 13);
    put_frame(&stream, &(dj_frame_header){.type = 200}, &payload); // a type of a later version
    payload.bytes = 0;
    const uint8_t totals[24] = {3};
    put_section(&payload, &(dj_frame_section){.field = DJ_FRAME_FIELD_TOTALS}, totals, 24, &body);
    append(&payload, context, body.data, body.bytes);
    put_frame(&stream, &(dj_frame_header){.type = DJ_FRAME_END, .section_count = 1, .first = 3}, &payload);

    trace got;
    int err = read_stream(context, stream.data, stream.bytes, &got);
    if (err)
        fail_msg("%s", dj_context_message(context));
    assert_int_equal(got.count, 3);
    assert_true(got.records[0].address == 7 && got.records[0].size == 1);
    assert_true(got.records[1].address == 256 && got.records[1].size == 2);
    assert_true(got.records[2].address == UINT64_MAX && got.records[2].size == 3);
    trace_free(&got);
    free(body.data);
    free(payload.data);
    free(stream.data);
}

enum { LIE_ACCESSES = 20000, LIE_SECTIONS = 5 };

// An inconsistent frame, and a part of the message.
typedef struct lie {
    const char *word;
    dj_frame_header frame;
    struct {
        dj_frame_section section;
        const void *data;
        uint32_t bytes;
    } sections[LIE_SECTIONS];
} lie;

static void expect_lie(const lie *l)
{
    memory stream = {0}, payload = {0}, body = {0};
    trace got;
    dj_frame_header frame = l->frame;
    put_header(&stream);
    for (frame.section_count = 0; frame.section_count < LIE_SECTIONS && l->sections[frame.section_count].data;
         frame.section_count++)
        put_section(&payload, &l->sections[frame.section_count].section,
                    l->sections[frame.section_count].data, l->sections[frame.section_count].bytes, &body);
    append(&payload, context, body.data, body.bytes);
    put_frame(&stream, &frame, &payload);
    uint8_t *exact = malloc(stream.bytes); // so that a sanitizer detects reads beyond it
    assert_non_null(exact);
    memcpy(exact, stream.data, stream.bytes);
    assert_int_equal(read_stream(context, exact, stream.bytes, &got), DJ_ERR_INPUT);
    if (!strstr(dj_context_message(context), l->word))
        fail_msg("'%s' does not speak of '%s'", dj_context_message(context), l->word);
    trace_free(&got);
    free(exact);
    free(body.data);
    free(payload.data);
    free(stream.data);
}

#define SITED_FRAME                                                                                          \
    {                                                                                                        \
        .type = DJ_FRAME_ACCESSES, .flags = DJ_FRAME_SITED, .count = LIE_ACCESSES, .columns = DJ_COLUMN_SITE \
    }
#define SITED_SECTIONS(steps, residuals, jumps)                                                              \
    {                                                                                                        \
        {{.field = DJ_FRAME_FIELD_SLOT_COUNT}, one, 4},                                                      \
            {{.field = DJ_FRAME_FIELD_STEPS}, steps, LIE_ACCESSES / 2},                                      \
            {{.field = DJ_FRAME_FIELD_RESIDUALS}, residuals, sizeof residuals},                              \
            {{.field = DJ_FRAME_FIELD_JUMPS}, jumps, sizeof jumps},                                          \
    }

static void inconsistent_sites_are_refused(void **state)
{
    (void)state;
    static const uint8_t one[4] = {1}, zeros[64], second[4] = {0, 0, 1};
    static uint8_t long_residuals[LIE_ACCESSES / 2], jumps_only[LIE_ACCESSES / 2],
        two_jumps[LIE_ACCESSES / 2] = {0x88};
    memset(long_residuals, 0x77, sizeof long_residuals);
    long_residuals[0] = 0x7f;
    memset(jumps_only, 0x88, sizeof jumps_only);
    const lie lies[] = {
        {"inconsistent", SITED_FRAME, SITED_SECTIONS(long_residuals, zeros, zeros)},
        {"inconsistent", SITED_FRAME, SITED_SECTIONS(jumps_only, zeros, zeros)},
        {"inconsistent", SITED_FRAME, SITED_SECTIONS(two_jumps, zeros, second)}, // to slot 1 of 1
        {"missing", SITED_FRAME, {{{.field = DJ_FRAME_FIELD_SLOT_COUNT}, one, 4}}},
        {"missing", SITED_FRAME, {{{.field = DJ_FRAME_FIELD_STEPS}, zeros, 64}}},
        {"contradictory", {.type = DJ_FRAME_ACCESSES, .flags = DJ_FRAME_SITED, .count = 1}, {{{0}, one, 4}}},
        {"contradictory",
         {.type = DJ_FRAME_ACCESSES, .flags = DJ_FRAME_PROPERTIES, .count = 1},
         {{{0}, one, 4}}},
        {"contradictory", {.type = DJ_FRAME_ACCESSES, .flags = 4, .count = 1}, {{{0}, one, 4}}},
    };
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++)
        expect_lie(&lies[i]);
}

static void impossible_frames_are_refused(void **state)
{
    (void)state;
    static const uint8_t zeros[64], totals[24] = {1};
    enum { BOMB = 1 << 30 };
    const lie lies[] = {
        {"impossible length",
         {.type = DJ_FRAME_ACCESSES, .count = 8},
         {{{.plain_bytes = BOMB, .compression = 1}, zeros, 9}}},
        {"impossible length",
         {.type = DJ_FRAME_ACCESSES, .count = 8},
         {{{.coding = 1, .plain_bytes = 9}, zeros, 9}}},
        {"wrong length", {.type = DJ_FRAME_ACCESSES, .count = 8}, {{{.coding = 1}, zeros, 7}}},
        {"contradictory lengths",
         {.type = DJ_FRAME_ACCESSES, .count = 8},
         {{{.stored_bytes = 63}, zeros, 64}}},
        {"beyond the frame",
         {.type = DJ_FRAME_ACCESSES, .count = 8},
         {{{.plain_bytes = 64, .stored_bytes = 64}, zeros, 8}}},
        {"decompressed", {.type = DJ_FRAME_ACCESSES, .count = 8}, {{{.compression = 1}, zeros, 64}}},
        {"does not belong",
         {.type = DJ_FRAME_ACCESSES, .count = 8},
         {{{.field = DJ_FRAME_FIELD_KIND, .part = 1, .coding = 1}, zeros, 8}}},
        {"does not belong", {.type = DJ_FRAME_ACCESSES, .count = 8}, {{{.part = 1}, zeros, 64}}},
        {"unknown coding",
         {.type = DJ_FRAME_ACCESSES, .count = 8},
         {{{.field = DJ_FRAME_FIELD_COUNT}, zeros, 64}}},
        {"unknown coding", {.type = DJ_FRAME_ACCESSES, .count = 8}, {{{.part = 8, .coding = 1}, zeros, 8}}},
        {"unknown coding", {.type = DJ_FRAME_ACCESSES, .count = 8}, {{{.coding = 3}, zeros, 8}}},
        {"unknown coding", {.type = DJ_FRAME_ACCESSES, .count = 8}, {{{.compression = 2}, zeros, 8}}},
        {"appears twice",
         {.type = DJ_FRAME_ACCESSES, .count = 8},
         {{{.coding = 1}, zeros, 8}, {{.coding = 1}, zeros, 8}}},
        {"mixes two codings",
         {.type = DJ_FRAME_ACCESSES, .count = 8},
         {{{.coding = 1}, zeros, 8}, {{.coding = 2, .part = 1}, zeros, 8}}},
        {"does not continue", {.type = DJ_FRAME_ACCESSES, .count = 8, .first = 1}, {{{0}, zeros, 64}}},
        {"does not continue", {.type = DJ_FRAME_ACCESSES}, {{{.field = DJ_FRAME_FIELD_TOTALS}, zeros, 8}}},
        {"header does not announce",
         {.type = DJ_FRAME_ACCESSES, .count = 8, .columns = DJ_COLUMN_TIME},
         {{{0}, zeros, 64}}},
        {"more items", {.type = DJ_FRAME_ACCESSES, .count = (1 << 19) + 1}, {{{0}, zeros, 64}}},
        {"type 5", {.type = 5}, {{{0}, zeros, 64}}},
        {"do not match", {.type = DJ_FRAME_END}, {{{.field = DJ_FRAME_FIELD_TOTALS}, totals, 24}}},
        {"missing", {.type = DJ_FRAME_END}, {{{.field = DJ_FRAME_FIELD_TOTALS}, totals, 16}}},
        {"type 0",
         {.type = DJ_FRAME_EVENTS, .count = 1},
         {{{.field = DJ_FRAME_FIELD_EVENT_TYPE, .coding = 1}, zeros, 1}}},
        {"out of order",
         {.type = DJ_FRAME_EVENTS, .count = 1},
         {{{.field = DJ_FRAME_FIELD_EVENT_POSITION, .coding = 1}, totals, 1}}},
    };
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++)
        expect_lie(&lies[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_built_from_the_specification_is_read),
        cmocka_unit_test(inconsistent_sites_are_refused),
        cmocka_unit_test(impossible_frames_are_refused),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
