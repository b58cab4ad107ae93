// SPDX-License-Identifier: MIT
// Inputs are stacks of layers: a layer fills buffers, either from the system or by decoding the bytes of the
// input below, which it owns.
#ifndef DEJA_TRACE_INPUT_LAYER_H
#define DEJA_TRACE_INPUT_LAYER_H

#include "trace/input/input.h"

typedef struct dj_layer_ops {
    // Writes up to `capacity` (> 0) bytes; none (*got == 0) only at the end. Data before an error is returned
    // by an earlier call.
    int (*fill)(void *state, dj_context *context, const char *name, uint8_t *to, size_t capacity,
                size_t *got);
    void (*progress)(const void *state, dj_progress *out);
    void (*close)(void *state);
} dj_layer_ops;

// Takes ownership of `state` (closes it even on failure).
int dj_input_create(dj_context *context, const char *name, const dj_layer_ops *ops, void *state,
                    dj_input **out);

// The state of `input` when it is a layer of this kind, else NULL.
const void *dj_input_layer(const dj_input *input, const dj_layer_ops *ops);

// Each decoder takes ownership of `below` (closes it even on failure).
int dj_input_open_gzip(dj_context *context, dj_input *below, dj_input **out);
int dj_input_open_zstd(dj_context *context, dj_input *below, dj_input **out);
int dj_input_open_xz(dj_context *context, dj_input *below, dj_input **out);
int dj_input_open_zip(dj_context *context, dj_input *below, dj_input **out);

// The raw file at the bottom, without decoding, and what zip needs for seeking.
int dj_input_open_file(dj_context *context, const char *path, dj_input **out);
int dj_input_file_descriptor(const dj_input *input); // -1: not a seekable file
// Discards the available bytes: the layer continues at `offset`.
void dj_input_restart(dj_input *input, uint64_t offset);
// The layer may have more than at its last end.
void dj_input_continue(dj_input *input);
bool dj_input_memory(const dj_input *input, dj_span *out);

// Reports bad input at the decoder's position in the input below.
int dj_input_fail_decode(dj_context *context, const dj_input *below, const char *kind, const char *what);

#endif
