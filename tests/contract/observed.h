// SPDX-License-Identifier: MIT
// What each observer needs to run over a sample trace: options, block sizes, and the observers before
// it.
#ifndef TESTS_CONTRACT_OBSERVED_H
#define TESTS_CONTRACT_OBSERVED_H

#include "contract/profiles.h"
#include "contract/scenarios.h"
#include <deja/observer_options.h>

static void compare(const dj_profile *want, dj_profile *got, const char *observer, const char *engine,
                    uint64_t seed)
{
    if (!same_profile(want, got))
        fail_msg("observer %s on engine %s, seed %llu: another profile", observer, engine,
                 (unsigned long long)seed);
    dj_profile_destroy(got);
}

// Cache sizes that fall between the boundaries of bins, and two that are both one block in large lanes.
static const dj_spatial_cache_size caches[] = {{(char *)"tiny", 3}, {(char *)"L1", 100}, {(char *)"L2", 333}};

static bool is_spatial(const dj_observer_ops *ops)
{
    return strncmp(ops->name, "spatial", strlen("spatial")) == 0;
}

static bool is_usage(const dj_observer_ops *ops)
{
    return strcmp(ops->name, "usage") == 0;
}

// Observers that count by place, with the same options.
static bool by_place(const dj_observer_ops *ops)
{
    return strcmp(ops->name, "places") == 0 || strcmp(ops->name, "spread") == 0 ||
           strcmp(ops->name, "slices") == 0 || strcmp(ops->name, "elements") == 0 ||
           strcmp(ops->name, "hierarchy-places") == 0;
}

// Observer sharing needs groups of lanes and sharers; cli/sharers compares it with simulated caches.
static bool needs_sharers(const dj_observer_ops *ops)
{
    return strcmp(ops->name, "sharing") == 0 || strcmp(ops->name, "sharing-places") == 0;
}

// Sites, contexts, objects and threads are their own names.
static int identify(void *user, dj_context *where, dj_place_identities *out)
{
    (void)user;
    (void)where;
    for (unsigned part = 0; part < DJ_PLACE_PARTS; part++) {
        out->part[part].list = calloc(SAMPLE_PLACES, sizeof(uint64_t));
        assert_non_null(out->part[part].list);
        out->part[part].count = SAMPLE_PLACES;
        for (uint32_t i = 0; i < SAMPLE_PLACES; i++)
            out->part[part].list[i] = i;
    }
    return DJ_OK;
}

// Long reuses begin at the first cut or, without cuts, immediately.
static const dj_places_options *places(const scenario *s)
{
    static dj_place rows[SAMPLE_PLACES];
    static dj_place_table table = {.chunks = {rows}, .count = SAMPLE_PLACES};
    static const uint64_t cuts[] = {3, 20, 21};
    static dj_places_options options = {.places = &table, .cuts = cuts, .identify = identify};
    options.cut_count = s->split ? sizeof cuts / sizeof cuts[0] : 0;
    for (uint32_t i = 0; i < SAMPLE_PLACES; i++)
        rows[i] = (dj_place){i, i % 2, i % 3, i % 2};
    return &options;
}

static const void *options_of(const dj_observer_ops *ops, const scenario *s)
{
    static const dj_spatial_options spatial = {caches, sizeof caches / sizeof caches[0]};
    static dj_usage_options usage = {.cache_bytes = 100};
    usage.block = s->blocks[1];
    static const dj_hierarchy_level levels[] = {{"L1", 3, 1}, {"L2", 20, 4}, {"L3", 21, 21}}; // the cuts
    static const dj_hierarchy_options hierarchy = {levels, 3, true};
    if (strcmp(ops->name, "hierarchy") == 0)
        return &hierarchy;
    static char page[] = "L1";
    static dj_tlb_level tlb = {page, 0, 5, 0};
    static const dj_tlb_options tlbs = {&tlb, 1, true};
    tlb.page_bytes = s->blocks[0];
    if (strcmp(ops->name, "tlb") == 0)
        return &tlbs;
    if (is_spatial(ops))
        return &spatial;
    if (is_usage(ops))
        return &usage;
    return by_place(ops) ? places(s) : NULL;
}

// Chooses the observers that an observer depends on, and returns their needs.
static uint32_t choose_before(const dj_observer_ops *ops, const scenario *s)
{
    static const struct {
        const char *name, *before[BEFORE_MOST + 1];
    } known[] = {
        {"usage", {"places", "spatial"}},
        {"spatial-places", {"places"}},
        {"bursts", {"histogram", "sample"}},
        {"tracing", {"histogram", "traffic"}},
        {"spatial-bursts", {"histogram", "traffic", "spatial", "tracing"}},
        {"spread", {"histogram", "traffic", "places", "tracing"}},
        {"slices", {"histogram", "traffic", "places"}},
        {"hierarchy-places", {"places", "hierarchy"}},
        {"tlb", {"histogram"}},
    };
    static const char *const none[] = {NULL};
    const char *const *names = none;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(ops->name, known[i].name) == 0)
            names = known[i].before;
    static dj_observer_choice before[BEFORE_MOST];
    uint32_t needs = 0;
    observers_before = before;
    before_count = 0;
    while (names[before_count])
        before_count++;
    for (size_t i = 0; i < before_count; i++) {
        before[i].ops = dj_observer_find(names[i]);
        before[i].options = options_of(before[i].ops, s);
        needs |= before[i].ops->needs;
    }
    return needs;
}

// Spatial locality needs block sizes that double, and attribution needs places as tags.
static const scenario *scenario_of(const dj_observer_ops *ops, uint64_t seed)
{
    static const scenario doubling[] = {{{8, 16}, 2, true, DJ_TAG_PLACE},
                                        {{4, 8, 16}, 3, true, DJ_TAG_PLACE},
                                        {{5, 10, 20}, 3, false, DJ_TAG_PLACE},
                                        {{1, 2, 4}, 3, false, DJ_TAG_PLACE}};
    static scenario placed;
    if (is_spatial(ops) || is_usage(ops))
        return &doubling[seed % (sizeof doubling / sizeof doubling[0])];
    placed = scenarios[seed % SCENARIOS];
    placed.tag = DJ_TAG_PLACE;
    return by_place(ops) ? &placed : &scenarios[seed % SCENARIOS];
}

#endif
