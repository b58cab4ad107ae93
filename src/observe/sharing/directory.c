// SPDX-License-Identifier: MIT
#include "observe/sharing/directory.h"

#include <stdlib.h>

#include "base/grow.h"

enum { FEW = 4 }; // users of a block without a crowd

int dj_directory_create(dj_directory *d, dj_context *context)
{
    d->count = d->crowd_count = 1;
    int err = dj_map_create(&d->blocks, context, &d->footprint, 0);
    return err ? err : dj_map_create(&d->members, context, &d->footprint, 0);
}

void dj_directory_free(dj_directory *d)
{
    if (d->blocks.entries)
        dj_map_destroy(&d->blocks);
    if (d->members.entries)
        dj_map_destroy(&d->members);
    free(d->users);
    free(d->losses);
    free(d->crowds);
}

static size_t crowd_numbers(const dj_directory *d)
{
    return DJ_CROWD_WRITTEN + (size_t)d->words;
}

static uint64_t *get_crowd(const dj_directory *d, uint32_t crowd)
{
    return d->crowds + crowd * crowd_numbers(d);
}

static uint64_t sharer_bit(const dj_block_user *user)
{
    return user->sharer < 64 ? UINT64_C(1) << user->sharer : 0;
}

uint64_t dj_directory_sharers(const dj_directory *d, uint64_t block)
{
    const uint32_t latest = dj_directory_latest(block), crowd = dj_directory_crowd(block);
    uint64_t set = crowd ? get_crowd(d, crowd)[DJ_CROWD_SHARERS] : 0;
    for (uint32_t at = latest; !crowd && at; at = dj_directory_next(d, latest, at))
        set |= sharer_bit(&d->users[at]);
    return set;
}

static void hold(dj_directory *d, uint32_t crowd, uint32_t user)
{
    uint64_t *holders = &get_crowd(d, crowd)[DJ_CROWD_HOLDERS];
    d->users[user].next_holder = (uint32_t)*holders;
    *holders = user;
}

static int add_member(dj_directory *d, dj_context *context, uint32_t crowd, uint32_t user)
{
    uint64_t *at = dj_map_at(&d->members, context, dj_directory_member(crowd, d->users[user].sharer));
    if (!at)
        return DJ_ERR_MEMORY;
    *at = user;
    get_crowd(d, crowd)[DJ_CROWD_SHARERS] |= sharer_bit(&d->users[user]);
    if (d->users[user].has_block)
        hold(d, crowd, user);
    else
        d->users[user].lost_at = 1; // it knows of all writes until now, time 0
    return DJ_OK;
}

static int add_crowd(dj_directory *d, dj_context *context, uint32_t latest, uint32_t *crowd)
{
    int err = dj_grow(context, "the directory", &d->crowds, &d->crowd_capacity,
                      (d->crowd_count + 1) * crowd_numbers(d), sizeof *d->crowds);
    if (err)
        return err;
    *crowd = (uint32_t)d->crowd_count++;
    for (uint32_t at = latest; !err && at; at = dj_directory_next(d, latest, at))
        err = add_member(d, context, *crowd, at);
    return err;
}

// Adds a user to the circle of `latest`, 0: none.
static int add_user(dj_directory *d, dj_context *context, const dj_touch *touch, uint32_t latest,
                    uint32_t *out)
{
    if (d->count >= UINT32_MAX)
        return dj_fail(context, DJ_ERR_MEMORY,
                       "more than 2^32 pairs of blocks and sharers; choose larger blocks with --block");
    int err = dj_grow(context, "the directory", &d->users, &d->capacity, d->count + 1, sizeof *d->users);
    if (!err && d->has_places)
        err =
            dj_grow(context, "the directory", &d->losses, &d->loss_capacity, d->count + 1, sizeof *d->losses);
    if (err)
        return err;
    *out = (uint32_t)d->count++;
    d->users[*out] = (dj_block_user){.sharer = touch->sharer,
                                     .next = latest ? d->users[latest].next : *out,
                                     .place = touch->place,
                                     .has_block = true};
    if (latest)
        d->users[latest].next = *out;
    return DJ_OK;
}

// Sets *own to the user in a circle, 0: it is not there. Returns the number of users that it has looked at.
static uint32_t search(const dj_directory *d, uint32_t latest, uint32_t sharer, uint32_t *own)
{
    uint32_t count = 0;
    for (*own = latest; *own && d->users[*own].sharer != sharer; count++)
        *own = dj_directory_next(d, latest, *own);
    return count;
}

static int end_lifetime(dj_directory *d, dj_context *context, uint32_t user)
{
    d->users[user].has_block = false;
    return d->users[user].again
               ? d->classify(d->receiver, context, &d->users[user], d->has_places ? &d->losses[user] : NULL)
               : DJ_OK;
}

static int lose(dj_directory *d, dj_context *context, uint32_t user, const dj_touch *touch)
{
    int err = end_lifetime(d, context, user);
    if (d->has_places)
        d->losses[user] = (dj_block_loss){.written_at = touch->address, .writer = touch->place};
    return err;
}

static int invalidate_circle(dj_directory *d, dj_context *context, uint32_t writer, const dj_touch *touch)
{
    int err = DJ_OK;
    for (uint32_t at = d->users[writer].next; !err && at != writer; at = d->users[at].next) {
        d->users[at].unseen |= touch->words;
        if (d->users[at].has_block)
            err = lose(d, context, at, touch);
    }
    return err;
}

// The writer is a holder.
static int invalidate_crowd(dj_directory *d, dj_context *context, uint32_t writer, const dj_touch *touch)
{
    uint64_t *crowd = get_crowd(d, d->last_crowd);
    uint32_t at = (uint32_t)crowd[DJ_CROWD_HOLDERS];
    int err = DJ_OK;
    crowd[DJ_CROWD_TIME] += d->users[at].next_holder != 0;
    for (uint32_t next; !err && at; at = next) {
        next = d->users[at].next_holder;
        if (at == writer)
            continue;
        err = lose(d, context, at, touch);
        d->users[at].lost_at = crowd[DJ_CROWD_TIME];
    }
    crowd[DJ_CROWD_HOLDERS] = writer;
    d->users[writer].next_holder = 0;
    for (uint64_t rest = touch->words; rest; rest &= rest - 1)
        crowd[DJ_CROWD_WRITTEN + __builtin_ctzll(rest)] = crowd[DJ_CROWD_TIME];
    return err;
}

// Finds the words that were written while the user did not have the block.
static void return_to_crowd(dj_directory *d, uint32_t crowd, uint32_t own)
{
    const uint64_t *written = get_crowd(d, crowd) + DJ_CROWD_WRITTEN, lost_at = d->users[own].lost_at;
    uint64_t unseen = 0;
    for (uint32_t word = 0; word < d->words; word++)
        unseen |= (uint64_t)(written[word] >= lost_at) << word;
    d->users[own].unseen |= unseen;
    hold(d, crowd, own);
}

static void enter_block(dj_directory *d, uint32_t own, const dj_touch *touch)
{
    dj_block_user *user = &d->users[own];
    if (!user->has_block) {
        if (d->last_crowd)
            return_to_crowd(d, d->last_crowd, own);
        user->has_block = user->again = true;
        user->essential = false;
        user->place = touch->place;
        if (d->has_places)
            d->losses[own].missed_at = touch->address;
    }
    // An essential miss delivers the whole block.
    if (user->unseen & touch->words) {
        user->essential = true;
        user->unseen = 0;
    }
}

// Finds the user, or adds it, and makes it the latest one of its block.
static int find_user(dj_directory *d, dj_context *context, const dj_touch *touch, dj_touched *out)
{
    uint64_t *block = dj_map_at(&d->blocks, context, touch->key);
    if (!block)
        return DJ_ERR_MEMORY;
    const uint32_t latest = dj_directory_latest(*block);
    uint32_t crowd = dj_directory_crowd(*block), own = latest, others = 0;
    *out = (dj_touched){.after_other = latest && d->users[latest].sharer != touch->sharer};
    if (out->after_other && crowd)
        own = (uint32_t)dj_map_get(&d->members, dj_directory_member(crowd, touch->sharer));
    else
        others = search(d, latest, touch->sharer, &own);
    out->first = own == 0;
    int err = out->first ? add_user(d, context, touch, latest, &own) : DJ_OK;
    if (!err && out->first && crowd)
        err = add_member(d, context, crowd, own);
    else if (!err && out->first && others == FEW)
        err = add_crowd(d, context, own, &crowd);
    *block = err ? *block + !*block : (uint64_t)crowd << 32 | own; // never 0 in the map
    out->user = d->last = err ? 0 : own;
    d->last_key = touch->key;
    d->last_crowd = crowd;
    return err;
}

int dj_directory_touch(dj_directory *d, dj_context *context, const dj_touch *touch, dj_touched *out)
{
    *out = (dj_touched){.user = d->last};
    const bool again = d->last && touch->key == d->last_key && d->users[d->last].sharer == touch->sharer;
    int err = again ? DJ_OK : find_user(d, context, touch, out);
    if (err)
        return err;
    const uint32_t own = out->user;
    d->users[own].accesses++;
    enter_block(d, own, touch);
    if (!touch->writes || d->users[own].next == own)
        return DJ_OK;
    return d->last_crowd ? invalidate_crowd(d, context, own, touch)
                         : invalidate_circle(d, context, own, touch);
}

int dj_directory_end(dj_directory *d, dj_context *context)
{
    int err = DJ_OK;
    for (uint32_t i = 1; !err && i < d->count; i++)
        if (d->users[i].has_block)
            err = end_lifetime(d, context, i);
    return err;
}
