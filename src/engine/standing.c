// SPDX-License-Identifier: MIT
#include "engine/standing.h"

#include <stdlib.h>
#include <string.h>

static const char what[] = "the order of engine parallel";

int dj_standing_create(dj_standing *standing, dj_context *context, unsigned shares)
{
    *standing = (dj_standing){.shares = shares, .share_words = 1};
    standing->base =
        dj_footprint_array(&standing->footprint, context, what, shares + 1, sizeof *standing->base);
    return standing->base ? DJ_OK : DJ_ERR_MEMORY;
}

void dj_standing_destroy(dj_standing *standing)
{
    dj_huge_free(&standing->memory, &standing->footprint);
    dj_footprint_free(&standing->footprint, standing->base, standing->shares + 1, sizeof *standing->base);
}

// Keys are few and points many, so that the line is seldom closed up.
static int make_longer(dj_standing *s, dj_context *context, uint64_t needed)
{
    enum { LEAST = 1 << 16, SPARSE = 4 };
    uint64_t room = SPARSE * needed < LEAST ? LEAST : SPARSE * needed;
    if (room >= DJ_STANDING_NONE)
        room = DJ_STANDING_NONE - 1;
    if (needed > room / 2)
        return dj_fail(context, DJ_ERR_MEMORY,
                       "engine parallel holds at most %llu distinct keys in memory; choose engine tree",
                       (unsigned long long)room / 2);
    uint64_t words = room / 64 + 1;
    dj_huge_free(&s->memory, &s->footprint);
    s->words = NULL;
    s->room = 0;
    int err = dj_huge_allocate(&s->memory, &s->footprint, context, what, words, sizeof *s->words);
    if (err)
        return err;
    s->words = s->memory.memory;
    s->room = room;
    s->share_words = words / s->shares + 1;
    return DJ_OK;
}

static uint64_t bits_between(uint64_t from, uint64_t end)
{
    uint64_t below_end = end >= 64 ? UINT64_MAX : (UINT64_C(1) << end) - 1;
    return from >= 64 ? 0 : below_end & ~((UINT64_C(1) << from) - 1);
}

// The points from `from` to `end` - 1 that lie in a word.
static uint64_t points_in(uint64_t word, uint64_t from, uint64_t end)
{
    uint64_t first = word * 64;
    if (end <= first || from >= first + 64)
        return 0;
    return bits_between(from > first ? from - first : 0, end - first);
}

int dj_standing_close_up(dj_standing *s, dj_context *context, uint64_t more)
{
    uint64_t live = dj_standing_live(s);
    if (2 * (live + more) > s->room) {
        int err = make_longer(s, context, live + more);
        if (err)
            return err;
    } else {
        memset(s->words, 0, (s->points / 64 + 1) * sizeof *s->words);
    }
    for (uint64_t word = 0; word * 64 < live; word++)
        s->words[word].live = points_in(word, 0, live);
    s->points = live;
    return DJ_OK;
}

// The words that a thread counts, as far as they are in use.
static uint64_t own_words(const dj_standing *s, const dj_member *member, uint64_t points, uint64_t *end)
{
    uint64_t used = points / 64 + 1, from = member->number * s->share_words;
    *end = from + s->share_words < used ? from + s->share_words : used;
    return from < *end ? from : *end;
}

static void count_word(dj_standing_word *word, dj_standing_base *count)
{
    word->live_before = (uint32_t)count->live;
    word->leaving_before = (uint32_t)count->leaving;
    count->live += (uint64_t)__builtin_popcountll(word->live);
    count->leaving += (uint64_t)__builtin_popcountll(word->leaving);
}

// From the counts of the shares to those of all before each.
static void add_up(dj_standing *s, dj_member *member, dj_standing_base count, uint64_t points)
{
    s->base[member->number + 1] = count;
    dj_member_meet(member);
    if (member->number == 0) {
        for (unsigned i = 0; i < s->shares; i++) {
            s->base[i + 1].live += s->base[i].live;
            s->base[i + 1].leaving += s->base[i].leaving;
        }
        s->points = points;
    }
    dj_member_meet(member);
}

void dj_standing_count(dj_standing *s, dj_member *member)
{
    dj_standing_base count = {0, 0};
    uint64_t end;
    for (uint64_t at = own_words(s, member, s->points, &end); at < end; at++)
        count_word(&s->words[at], &count);
    add_up(s, member, count, s->points);
}

void dj_standing_advance(dj_standing *s, dj_member *member, uint64_t more)
{
    dj_standing_base count = {0, 0};
    uint64_t end, points = s->points + more;
    for (uint64_t at = own_words(s, member, points, &end); at < end; at++) {
        dj_standing_word *word = &s->words[at];
        word->live = (word->live & ~word->leaving) | points_in(at, s->points, points);
        word->leaving = 0;
        count_word(word, &count);
    }
    add_up(s, member, count, points);
}
