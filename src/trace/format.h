// SPDX-License-Identifier: MIT
// What a trace format is to the rest of src/trace: a table of functions over a
// byte stream that decompression and files have already been hidden from.
#ifndef DEJA_TRACE_FORMAT_H
#define DEJA_TRACE_FORMAT_H

#include <deja/source.h>

typedef struct dj_input dj_input; // input.h

// The first bytes of a trace (after decompression) and its name without
// .gz, .zst and .xz, for finding the format.
typedef struct dj_head {
    const uint8_t *data;
    size_t bytes;
    bool whole; // the trace ends here
    const char *path;
} dj_head;

typedef struct dj_format {
    dj_format_info info;
    uint64_t default_block;
    uint64_t unit_bytes;
    uint32_t columns; // bits of dj_column_bit that read may fill in
    bool default_split;
    bool numbers_devices; // as it meets them
    uint32_t provides;    // as dj_source_info has it
    // Of formats that are keys of one width and nothing else: `read` takes a whole batch of them where
    // there are as many, and has no state. 0: another.
    unsigned record_bytes;

    // How sure the format is that the head is its own: 0 (no) to 100 (a magic
    // number). Text formats that agree on the first lines but could be fooled
    // say 50 or so; the name's extension is weighed by the registry.
    int (*probe)(const dj_head *head);
    int (*open)(dj_context *context, dj_input *input, const dj_source_options *options, void **state);
    // May be NULL. Mends what depends on the options or the first line (csv):
    // called once, after open, with *info filled in from this table.
    void (*describe)(const void *state, dj_source_info *info);
    // May be NULL. The trace goes on in another file, at whose start `input`
    // stands: ids given to devices and sites stay valid. NULL: close and open.
    int (*resume)(void *state, dj_context *context, dj_input *input);
    // Appends accesses and events to an empty batch until it is full or the
    // input ends (count 0 and no events: the end). On DJ_ERR_INPUT the batch
    // holds what came before the fault.
    int (*read)(void *state, dj_context *context, dj_input *input, dj_batch *batch);
    void (*close)(void *state);
} dj_format;

#endif
