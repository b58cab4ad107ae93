// SPDX-License-Identifier: MIT
// Passes batches from the program, which fills them, to the thread that analyzes them.
#ifndef DEJA_ANNOTATIONS_CHANNEL_H
#define DEJA_ANNOTATIONS_CHANNEL_H

#include <deja/source.h>

#include <stdatomic.h>

typedef struct dj_channel dj_channel;

// *flush_requested becomes true when the analysis has waited for a while, and false when it receives a batch.
int dj_channel_create(dj_context *context, atomic_bool *flush_requested, dj_channel **out);
void dj_channel_destroy(dj_channel *channel); // after its source was closed

// The source for the analysis; only one at a time. After a while without data it returns an empty batch.
int dj_channel_source(dj_channel *channel, dj_context *context, dj_source **out);
// How many batches of the program the analysis has received.
uint64_t dj_channel_given(dj_channel *channel);

// Hands over a batch (NULL: none) and waits for an empty one. NULL: nobody reads any more.
dj_batch *dj_channel_swap(dj_channel *channel, dj_batch *full);
// The last batch (NULL: none); the source ends after it. With `fault`, which must outlive the channel, it
// ends with DJ_ERR_INPUT and that message: what follows is missing.
void dj_channel_close(dj_channel *channel, dj_batch *last, const char *fault);
// Nobody reads any more; waiting threads continue.
void dj_channel_abandon(dj_channel *channel);

#endif
