// SPDX-License-Identifier: MIT
// Microsoft Research Cambridge block I/O: Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime. Host
// and disk together are the device.
#include "base/dictionary.h"
#include "trace/parse/line_reader.h"
#include "trace/registry.h"

enum { TICK = 100 }; // nanoseconds per unit of a Windows file time

static int start(void *state, dj_context *context, const dj_source_options *options)
{
    (void)options;
    return dj_dictionary_create(state, context);
}

static void stop(void *state)
{
    dj_dictionary_destroy(state);
}

static int line(void *state, dj_line_sink *sink, dj_text_field l)
{
    dj_access access = {0};
    dj_text_field host, type;
    uint32_t disk;
    bool fresh;
    dj_field_skip_blanks(&l);
    if (!dj_line_clock(sink, &l, TICK, &access.clock) || !dj_field_skip_comma(&l))
        return dj_line_expected(sink, l, "a time stamp and a comma");
    if (!dj_field_until(&l, ',', &host))
        return dj_line_expected(sink, host, "a host name");
    if (!dj_field_skip_comma(&l) || !dj_field_device(&l, &disk) || !dj_field_skip_comma(&l))
        return dj_line_expected(sink, l, "a disk number below 2^32 and a comma");
    if (!dj_field_until(&l, ',', &type) || !dj_field_kind(type, &access.kind))
        return dj_line_expected(sink, type, "Read or Write");
    if (!dj_field_skip_comma(&l) || !dj_field_decimal(&l, &access.address))
        return dj_line_expected(sink, l, "an offset in bytes below 2^64");
    dj_text_field size = l;
    if (!dj_field_skip_comma(&l) || !dj_field_decimal(&l, &access.size))
        return dj_line_expected(sink, l, "a size in bytes below 2^64");
    if (!dj_field_skip_comma(&l) || !dj_field_skip_real(&l))
        return dj_line_expected(sink, l, "a response time");
    if (!dj_field_at_end(&l))
        return dj_line_expected(sink, l, "the end of the line");
    int err = dj_dictionary_value(state, sink->context, dj_hash_pair(dj_field_hash(host), disk),
                                  &access.device, &fresh);
    return err ? err : dj_line_put_range(sink, &access, size);
}

static const dj_line_ops ops = {
    .syntax = "Timestamp,Hostname,DiskNumber,Read|Write,Offset,Size,ResponseTime",
    .columns = DJ_COLUMN_DEVICE | DJ_COLUMN_SIZE | DJ_COLUMN_KIND | DJ_COLUMN_CLOCK,
    .score = 90,
    .state_bytes = sizeof(dj_dictionary),
    .start = start,
    .stop = stop,
    .line = line,
};

DJ_LINE_FUNCTIONS(ops)

const dj_format dj_format_msr = {
    .info = {"msr", "Microsoft Research block I/O: time,host,disk,Read|Write,offset,size,response", "",
             DJ_CLASS_BLOCK_IO, false},
    .columns = DJ_COLUMN_DEVICE | DJ_COLUMN_SIZE | DJ_COLUMN_KIND,
    .provides = DJ_COLUMN_CLOCK,
    .numbers_devices = true,
    DJ_CLASS_BLOCK_IO_TABLE,
    DJ_LINE_TABLE,
};
