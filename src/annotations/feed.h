// SPDX-License-Identifier: MIT
// From the program, which fills batches, to the thread that analyzes them.
#ifndef DEJA_ANNOTATIONS_FEED_H
#define DEJA_ANNOTATIONS_FEED_H

#include <deja/source.h>

#include <stdatomic.h>

typedef struct dj_feed dj_feed;

// *hurry becomes true when the analysis has waited for a while, and false when it is given something.
int dj_feed_create(dj_context *context, atomic_bool *hurry, dj_feed **out);
void dj_feed_destroy(dj_feed *feed); // after its source was closed

// For the analysis; one at a time. When nothing comes for a while it gives an empty batch.
int dj_feed_source(dj_feed *feed, dj_context *context, dj_source **out);
// How many batches of the program the analysis was given.
uint64_t dj_feed_given(dj_feed *feed);

// Hands over a batch (NULL: none) and waits for an empty one. NULL: nobody
// reads any more.
dj_batch *dj_feed_swap(dj_feed *feed, dj_batch *full);
// The last batch (NULL: none); the source ends after it.
void dj_feed_close(dj_feed *feed, dj_batch *last);
// Nobody reads any more; whoever waits goes on.
void dj_feed_abandon(dj_feed *feed);

#endif
