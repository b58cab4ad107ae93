// SPDX-License-Identifier: MIT
// A hash table with chains of large entries: a lookup reads the key of every entry on its way, each in a
// block of its own. Keys beside the bucket leave one entry to read. The next key depends on what was found.
//
// model: hash table
// object: entry bucket entries heap
// level: L2
// accept: split pool
// reject: tile fuse
// native: -DENTRIES=1000000 -DBUCKETS=131072
#include "kernel.h"

#ifndef ENTRIES
#define ENTRIES 8192
#define BUCKETS 1024
#endif
#define LOOKUPS 60000

struct entry {
    struct entry *next;
    uint32_t key, value;
    char payload[100];
};

#ifndef FIXED
static struct entry *bucket[BUCKETS];

static uint32_t find(uint32_t key)
{
    struct entry *entry = bucket[key % BUCKETS];
    while (entry->key != key) {
        entry = entry->next;
    }
    return entry->value;
}
#else
#define SLOTS (ENTRIES / BUCKETS)
static struct {
    uint32_t key[SLOTS];
    struct entry *entry[SLOTS];
} bucket[BUCKETS];

static uint32_t find(uint32_t key)
{
    uint32_t slot = 0;
    while (bucket[key % BUCKETS].key[slot] != key) {
        slot++;
    }
    return bucket[key % BUCKETS].entry[slot]->value;
}
#endif

int main(void)
{
    for (uint32_t key = 0; key < ENTRIES; key++) {
        struct entry *entry = malloc(sizeof *entry);
        entry->key = key;
        entry->value = key * 2654435761U >> 7;
#ifndef FIXED
        entry->next = bucket[key % BUCKETS];
        bucket[key % BUCKETS] = entry;
#else
        bucket[key % BUCKETS].key[SLOTS - 1 - key / BUCKETS] = key;
        bucket[key % BUCKETS].entry[SLOTS - 1 - key / BUCKETS] = entry;
#endif
    }
    uint32_t key = 0, state = 5;
    for (int i = 0; i < LOOKUPS; i++) {
        key = (next_random(&state) ^ find(key)) % ENTRIES;
    }
    printf("%u\n", key);
}
