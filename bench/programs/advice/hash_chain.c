// SPDX-License-Identifier: MIT
// A hash table with chains of large entries: a lookup reads the key of every entry on its way, each in a
// block of its own. Without their payload, four entries share a block. The next key depends on what was
// found.
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
#ifndef FIXED
    char payload[100];
#endif
};

static struct entry *bucket[BUCKETS];
#ifdef FIXED
static struct entry entries[ENTRIES];
static char payload[ENTRIES][100];
#endif

static uint32_t find(uint32_t key)
{
    struct entry *entry = bucket[key % BUCKETS];
    while (entry->key != key) {
        entry = entry->next;
    }
    return entry->value;
}

int main(void)
{
    for (uint32_t key = 0; key < ENTRIES; key++) {
#ifndef FIXED
        struct entry *entry = malloc(sizeof *entry);
        entry->payload[0] = (char)key;
#else
        struct entry *entry = &entries[key];
        payload[key][0] = (char)key;
#endif
        entry->key = key;
        entry->value = key * 2654435761U >> 7;
        entry->next = bucket[key % BUCKETS];
        bucket[key % BUCKETS] = entry;
    }
    uint32_t key = 0, state = 5;
    for (int i = 0; i < LOOKUPS; i++) {
        key = (next_random(&state) ^ find(key)) % ENTRIES;
    }
    printf("%u\n", key);
}
