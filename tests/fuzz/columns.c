// SPDX-License-Identifier: MIT
// Profiles in columns. If the first byte is 128 or more, the rest is a file, whose checksums are
// corrected first; otherwise the byte selects a section, and the rest is its columns before compression,
// in an otherwise valid file. Every profile that loads can be saved and loaded again.
#include <deja/deja.h>

#include "fuzz/check.h"
#include "fuzz/mutate_pack.h"
#include "unit/columns_file.h"

static dj_profile *load(dj_context *context, const void *data, size_t bytes)
{
    dj_profile *profile = NULL;
    int err = columns_loaded(context, data, bytes, 0, &profile);
    CHECK(err == DJ_OK || err == DJ_ERR_INPUT || err == DJ_ERR_MEMORY);
    CHECK(err == DJ_OK || *dj_context_message(context));
    return profile;
}

// A profile of one lane without accesses.
static dj_profile *make_empty(dj_context *context)
{
    dj_profile *profile = NULL;
    CHECK(dj_profile_create(context, 1, &profile) == DJ_OK);
    CHECK(dj_histogram_create(context, &profile->lanes[0].distance) == DJ_OK);
    profile->lanes[0].id.block_bytes = 64;
    profile->provenance.exact = true;
    return profile;
}

static char *make_file(dj_context *context, unsigned choice, const uint8_t *plain, size_t plain_bytes,
                       size_t *bytes)
{
    char *data = NULL;
    const dj_section_ops *ops = dj_section_get(choice % dj_section_count());
    const bool core = ops->table.bytes == 0;
    dj_profile *profile = make_empty(context);
    FILE *out = open_memstream(&data, bytes);
    CHECK(out && dj_columns_begin(context, out) == DJ_OK);
    if (!core)
        CHECK(dj_columns_add(context, profile, 0, out) == DJ_OK);
    columns_put(out, context, ops->name, ops->version, 0, ops->scope == DJ_SCOPE_LANE, plain, plain_bytes);
    CHECK(dj_columns_end(context, out) == DJ_OK);
    fclose(out);
    dj_profile_destroy(profile);
    return data;
}

static void check_round_trip(dj_context *context, const dj_profile *profile)
{
    size_t bytes = 0, bytes_again = 0;
    uint8_t *data = columns_saved(context, profile, &bytes);
    dj_profile *again = load(context, data, bytes);
    CHECK(again);
    uint8_t *data_again = columns_saved(context, again, &bytes_again);
    CHECK(bytes == bytes_again && memcmp(data, data_again, bytes) == 0);
    char *text = NULL;
    FILE *out = open_memstream(&text, &bytes);
    CHECK(dj_profile_save(context, again, DJ_BINS_LOG2, 0, out) == DJ_OK);
    fclose(out);
    free(text);
    free(data);
    free(data_again);
    dj_profile_destroy(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t most, unsigned seed)
{
    dj_random random;
    fuzz_bytes numbers = {0};
    dj_random_seed(&random, seed);
    if (bytes < 2 || dj_random_below(&random, 8) == 0)
        return LLVMFuzzerMutate(data, bytes, most);
    if (data[0] >= 128)
        return 1 + fuzz_mutate_columns(data + 1, bytes - 1, most - 1, &random);
    fuzz_put(&numbers, data, 1);
    fuzz_bytes plain = {0};
    fuzz_put(&plain, data + 1, bytes - 1);
    fuzz_mutate_numbers(&plain, &random);
    fuzz_put(&numbers, plain.data, plain.count);
    free(plain.data);
    return fuzz_take(&numbers, data, bytes, most);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    dj_context *context = NULL;
    dj_profile *profile = NULL;
    size_t size = bytes - 1;
    if (bytes < 2)
        return 0;
    CHECK(dj_context_create(&context) == DJ_OK);
    char *file = NULL;
    if (data[0] < 128) {
        file = make_file(context, data[0], data + 1, bytes - 1, &size);
    } else {
        file = malloc(size);
        CHECK(file);
        memcpy(file, data + 1, size);
        columns_fix_checksums((uint8_t *)file, size);
    }
    profile = load(context, file, size);
    if (profile)
        check_round_trip(context, profile);
    dj_profile_destroy(profile);
    free(file);
    dj_context_destroy(context);
    return 0;
}
