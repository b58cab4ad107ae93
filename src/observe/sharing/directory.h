// SPDX-License-Identifier: MIT
// Who accessed each block, and in which order; classifies the misses that writes of others cause in private
// caches of infinite size (Dubois and others, "The detection and elimination of useless misses in
// multiprocessors", ISCA 1993).
#ifndef DEJA_OBSERVE_SHARING_DIRECTORY_H
#define DEJA_OBSERVE_SHARING_DIRECTORY_H

#include "base/map.h"

// A sharer of a block. While it has the block, it is in a lifetime, which the write of another sharer ends.
typedef struct dj_block_user {
    uint32_t sharer;
    uint32_t next;   // the users of a block are in a circle
    uint64_t unseen; // words that others wrote since the last miss that was essential
    uint64_t accesses;
    union {                   // of a user in a crowd
        uint32_t next_holder; // while it has the block; 0: none
        uint64_t lost_at;     // otherwise: time of the crowd
    };
    uint32_t place; // of the miss that began the lifetime, or of its first access
    bool mixed;     // found by the receiver: several objects have parts of the block
    bool has_block;
    bool again;     // the lifetime is not its first
    bool essential; // it has accessed a word that another sharer wrote
} dj_block_user;

// How a user lost the block, and how it missed it; only if places are known.
typedef struct dj_block_loss {
    uint64_t written_at, missed_at; // addresses
    uint32_t writer;                // place of the write
} dj_block_loss;

// A block with more than a few users has a crowd, in which no access looks at users that it does not change:
// a map finds the user, and a write ends the lifetimes of the holders. Users that do not have the block find
// the words they have not seen when they are back, by the times of the latest writes. Time is the number of
// writes that ended lifetimes.
enum dj_crowd {
    DJ_CROWD_HOLDERS, // the user that got the block last
    DJ_CROWD_TIME,
    DJ_CROWD_SHARERS, // of its users: a bit for each of the first 64 sharers
    DJ_CROWD_WRITTEN, // by word
};

typedef struct dj_directory {
    dj_map blocks;        // by key: the latest user, and above it the crowd, 0: none
    dj_block_user *users; // from 1 on
    size_t count, capacity;
    dj_block_loss *losses; // of each user, if `has_places`
    size_t loss_capacity;
    bool has_places;
    uint32_t words;   // per block
    uint64_t *crowds; // from 1 on: the numbers of enum dj_crowd
    size_t crowd_count, crowd_capacity;
    dj_map members;    // crowd << 32 | sharer: the user
    uint64_t last_key; // of the last touch
    uint32_t last;     // its user, 0: none
    uint32_t last_crowd;
    dj_footprint footprint;
    // A miss after an invalidation was essential, or not. Known when the block is lost again, or at the end.
    // `loss` is NULL without places.
    int (*classify)(void *receiver, dj_context *context, const dj_block_user *user,
                    const dj_block_loss *loss);
    void *receiver;
} dj_directory;

// `words`, `has_places`, `classify` and `receiver` are set before, the rest is zero.
int dj_directory_create(dj_directory *directory, dj_context *context);
void dj_directory_free(dj_directory *directory);

typedef struct dj_touch {
    uint64_t key, address;
    uint64_t words; // a bit for each word of the block that it touches
    uint32_t sharer, place;
    bool writes;
} dj_touch;

typedef struct dj_touched {
    uint32_t user;    // index
    bool first;       // by this sharer
    bool after_other; // the access before it was by another sharer
} dj_touched;

static inline uint32_t dj_directory_latest(uint64_t block)
{
    return (uint32_t)block;
}
static inline uint32_t dj_directory_crowd(uint64_t block)
{
    return (uint32_t)(block >> 32);
}
static inline uint64_t dj_directory_member(uint64_t crowd, uint32_t sharer)
{
    return crowd << 32 | sharer;
}

// The users of a block: from the latest one until 0.
static inline uint32_t dj_directory_next(const dj_directory *directory, uint32_t latest, uint32_t user)
{
    const uint32_t next = directory->users[user].next;
    return next == latest ? 0 : next;
}

// Blocks that are touched soon: first `seek`; some accesses later `fetch`, which returns the block; and later
// `follow`.
static inline void dj_directory_seek(const dj_directory *directory, uint64_t key)
{
    __builtin_prefetch(&directory->blocks.entries[dj_map_hash(key) & directory->blocks.mask]);
}
static inline uint64_t dj_directory_fetch(const dj_directory *directory, uint64_t key, uint32_t sharer)
{
    const uint64_t block = dj_map_get(&directory->blocks, key), crowd = dj_directory_crowd(block);
    __builtin_prefetch(&directory->users[dj_directory_latest(block)]);
    if (crowd)
        __builtin_prefetch(&directory->members.entries[dj_map_hash(dj_directory_member(crowd, sharer)) &
                                                       directory->members.mask]);
    return block;
}
static inline void dj_directory_follow(const dj_directory *directory, uint64_t block, uint32_t sharer)
{
    const uint32_t latest = dj_directory_latest(block), crowd = dj_directory_crowd(block);
    if (crowd)
        __builtin_prefetch(
            &directory->users[dj_map_get(&directory->members, dj_directory_member(crowd, sharer))]);
    else if (latest)
        __builtin_prefetch(&directory->users[directory->users[latest].next]);
}

// A bit for each of the first 64 sharers of a block.
uint64_t dj_directory_sharers(const dj_directory *directory, uint64_t block);

int dj_directory_touch(dj_directory *directory, dj_context *context, const dj_touch *touch, dj_touched *out);
// Classifies the lifetimes that have not ended.
int dj_directory_end(dj_directory *directory, dj_context *context);

#endif
