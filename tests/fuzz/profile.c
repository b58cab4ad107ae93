// SPDX-License-Identifier: MIT
// The profile loader over any bytes; what it takes can be saved and loaded again.
#include "fuzz/check.h"

#include <deja/profile.h>

static int load(dj_context *context, void *data, size_t bytes, dj_profile **out)
{
    FILE *in = fmemopen(data, bytes, "r");
    CHECK(in);
    int err = dj_profile_load(context, in, "fuzz", out);
    fclose(in);
    return err;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    dj_context *context = NULL;
    dj_profile *profile = NULL, *again = NULL;
    if (bytes == 0)
        return 0;
    CHECK(dj_context_create(&context) == DJ_OK);
    int err = load(context, (void *)(uintptr_t)data, bytes, &profile);
    CHECK(err == DJ_OK || (err == DJ_ERR_INPUT && dj_context_message(context)[0]));
    if (!err) {
        char *text = NULL;
        size_t length = 0;
        FILE *out = open_memstream(&text, &length);
        CHECK(out);
        CHECK(dj_profile_save(context, profile, DJ_BINS_LOG2, 0, out) == DJ_OK);
        fclose(out);
        CHECK(load(context, text, length, &again) == DJ_OK);
        CHECK(again->accesses == profile->accesses && again->lane_count == profile->lane_count);
        free(text);
    }
    dj_profile_destroy(again);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
    return 0;
}
