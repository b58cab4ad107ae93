// SPDX-License-Identifier: MIT
// Compresses a generated text as gzip does: hash chains over a window, symbol counts,
// a checksum. Prints the number of literals and matches. Frees nothing: only Valgrind
// sees the accesses of malloc and free to their blocks.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WINDOW = 1 << 15,
    HASHES = 1 << 15,
    CHAIN = 48,
    SHORTEST = 3,
    LONGEST = 258,
    WORDS = 3000,
};

// Aligned to blocks, so that distances do not depend on the linker's layout.
static _Alignas(64) unsigned char window[2 * WINDOW];
static _Alignas(64) uint16_t head[HASHES], previous[WINDOW];
static _Alignas(64) uint32_t checks[256];
static _Alignas(64) uint32_t literal_counts[256 + LONGEST + 1], distance_counts[WINDOW / 64 + 1];
static uint32_t seed = 1;

static uint32_t draw(uint32_t below)
{
    seed = seed * 1103515245 + 12345;
    return (seed >> 8) % below;
}

static char *words[WORDS];

static void make_words(void)
{
    for (int i = 0; i < WORDS; i++) {
        size_t length = 2 + draw(8);
        words[i] = malloc(length + 2);
        for (size_t k = 0; k < length; k++)
            words[i][k] = (char)('a' + draw(26));
        strcpy(words[i] + length, " ");
    }
}

static void make_checks(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? 0xedb88320 ^ c >> 1 : c >> 1;
        checks[i] = c;
    }
}

static size_t fill(unsigned char *to, size_t capacity)
{
    size_t used = 0;
    for (;;) {
        const char *word = words[draw(draw(WORDS) + 1)];
        size_t length = strlen(word);
        if (used + length > capacity)
            return used;
        memcpy(to + used, word, length);
        used += length;
    }
}

static uint32_t hash(size_t at)
{
    return (uint32_t)(window[at] << 10 ^ window[at + 1] << 5 ^ window[at + 2]) & (HASHES - 1);
}

static size_t match_length(size_t a, size_t b, size_t most)
{
    size_t n = 0;
    while (n < most && window[a + n] == window[b + n])
        n++;
    return n;
}

static size_t find(size_t at, size_t end, size_t *distance)
{
    size_t best = 0, most = end - at < LONGEST ? end - at : LONGEST;
    size_t limit = at > WINDOW ? at - WINDOW : 0, candidate = head[hash(at)];
    for (int tries = 0; tries < CHAIN && candidate > limit && candidate < at; tries++) {
        if (window[candidate + best] == window[at + best]) {
            size_t length = match_length(candidate, at, most);
            if (length > best) {
                best = length;
                *distance = at - candidate;
                if (best == most)
                    break;
            }
        }
        candidate = previous[candidate & (WINDOW - 1)];
    }
    return best;
}

static void insert(size_t at)
{
    uint32_t key = hash(at);
    previous[at & (WINDOW - 1)] = head[key];
    head[key] = (uint16_t)at;
}

static void squeeze(size_t end, unsigned *literals, unsigned *matches)
{
    size_t at = 1;
    while (at + SHORTEST < end) {
        size_t distance = 0, length = find(at, end - SHORTEST, &distance);
        if (length >= SHORTEST) {
            literal_counts[256 + length]++;
            distance_counts[distance / 64]++;
            ++*matches;
        } else {
            length = 1;
            literal_counts[window[at]]++;
            ++*literals;
        }
        for (size_t k = 0; k < length; k++)
            insert(at + k);
        at += length;
    }
}

int main(int count, char **arguments)
{
    int rounds = count > 1 ? atoi(arguments[1]) : 8;
    unsigned literals = 0, matches = 0;
    uint32_t check = UINT32_MAX;
    make_words();
    make_checks();
    for (int round = 0; round < rounds; round++) {
        memset(head, 0, sizeof head);
        size_t end = fill(window, sizeof window - 1);
        for (size_t i = 0; i < end; i++)
            check = checks[(check ^ window[i]) & 0xff] ^ check >> 8;
        squeeze(end, &literals, &matches);
    }
    printf("%u literals, %u matches, %08x\n", literals, matches, check);
    return 0;
}
