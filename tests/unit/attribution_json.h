// SPDX-License-Identifier: MIT
// Saves and loads the profile of the program of hand_made.h.
#ifndef DEJA_TESTS_ATTRIBUTION_JSON_H
#define DEJA_TESTS_ATTRIBUTION_JSON_H

#include "support/hand_made.h"
#include "unit/lane.h"

static dj_context *context;

static int begin(void **state)
{
    (void)state;
    return dj_context_create(&context);
}

static int end(void **state)
{
    (void)state;
    dj_context_destroy(context);
    return 0;
}

static inline dj_profile *hand_profile(void)
{
    dj_profile *profile = make_profile(context, 64);
    assert_int_equal(dj_profile_give_section(context, profile, &dj_section_attribution, hand_made(context)),
                     DJ_OK);
    profile->accesses = profile->lanes[0].accesses = 2060;
    profile->lanes[0].cold = profile->lanes[0].distinct = 121;
    add_distance(context, &profile->lanes[0], 99, 900);
    add_distance(context, &profile->lanes[0], 1, 999);
    add_distance(context, &profile->lanes[0], 19, 20);
    add_distance(context, &profile->lanes[0], 40, 20);
    return profile;
}

static inline char *saved(const dj_profile *profile)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    assert_int_equal(dj_profile_save(context, profile, DJ_BINS_EXACT, 0, out), DJ_OK);
    fclose(out);
    return text;
}

static int loaded(const char *text, dj_profile **out)
{
    FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    assert_non_null(in);
    int err = dj_profile_load(context, in, "p.json", out);
    fclose(in);
    return err;
}

#endif
