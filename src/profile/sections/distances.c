// SPDX-License-Identifier: MIT
// Sections of a lane that are computed from all distances: `time`, `bytes`, `fingerprint`, `digest`.
#include "profile/fields.h"
#include "profile/sections/sample.h"

static const dj_field time_fields[] = {
    DJ_AT(HISTOGRAM, "time_histogram", dj_time_profile, distance, .flags = DJ_FIELD_REQUIRED,
          .about = "of the time distances, in accesses"),
    DJ_END,
};

const dj_section_ops dj_section_time = {
    .name = "time",
    .summary = "time distances",
    .version = 1,
    .scope = DJ_SCOPE_LANE,
    .spread = true,
    .table = {time_fields, sizeof(dj_time_profile), DJ_ROW_OBJECT},
};

static bool has_weights(const void *row)
{
    return ((const dj_byte_profile *)row)->weight != NULL;
}

static const dj_field mean_fields[] = {
    DJ_AT(U64, "size", dj_mean_size, size, .flags = DJ_FIELD_REQUIRED, .about = "a power of two"),
    DJ_AT(REAL, "mean", dj_mean_size, mean, .flags = DJ_FIELD_REQUIRED,
          .about = "mean size of the keys below twice this size, weighted by size"),
    DJ_END,
};
static const dj_table mean_row = {mean_fields, sizeof(dj_mean_size), DJ_ROW_CELLS};

static const dj_field byte_fields[] = {
    DJ_AT(HISTOGRAM, "byte_histogram", dj_byte_profile, distance, .flags = DJ_FIELD_REQUIRED,
          .about = "of the bytes that an LRU cache needs for each access to hit, including its own"),
    DJ_AT(U64, "cold_bytes", dj_byte_profile, cold_bytes, .when = has_weights,
          .about = "bytes requested by first accesses"),
    DJ_AT(HISTOGRAM, "byte_weights", dj_byte_profile, weight, .flags = DJ_FIELD_OMIT,
          .about = "values of byte_histogram, counted in requested bytes"),
    DJ_AT(LIST, "request_errors", dj_byte_profile, errors, .rows = &dj_sample_error_row,
          .most = DJ_SAMPLE_ERRORS_MOST, .count_at = offsetof(dj_byte_profile, error_count),
          .flags = DJ_FIELD_OMIT, .since = 2, .about = "of a sample: by requests, sizes in bytes"),
    DJ_AT(LIST, "byte_errors", dj_byte_profile, byte_errors, .rows = &dj_sample_error_row,
          .most = DJ_SAMPLE_ERRORS_MOST, .count_at = offsetof(dj_byte_profile, byte_error_count),
          .flags = DJ_FIELD_OMIT, .since = 2, .about = "of a sample: by requested bytes, sizes in bytes"),
    DJ_AT(LIST, "mean_sizes", dj_byte_profile, means, .rows = &mean_row, .most = 64,
          .count_at = offsetof(dj_byte_profile, mean_count), .flags = DJ_FIELD_OMIT, .since = 2,
          .about = "of a sample: the sizes of keys"),
    DJ_AT(U64, "sampled_bytes", dj_byte_profile, sampled_bytes, .flags = DJ_FIELD_OMIT, .since = 2,
          .about = "of a sample: its estimate of all requested bytes, whose real number is known"),
    DJ_END,
};

// Either all that a sample needs, or nothing.
static int check_bytes(dj_context *context, void *value)
{
    const dj_byte_profile *b = value;
    if (b->error_count == 0 && b->byte_error_count == 0 && b->mean_count == 0)
        return DJ_OK;
    int err = dj_sample_errors_check(context, b->errors, b->error_count);
    if (!err)
        err = dj_sample_errors_check(context, b->byte_errors, b->byte_error_count);
    for (size_t i = 0; !err && i < b->mean_count; i++)
        if (!(b->means[i].mean >= 0) || (i > 0 && b->means[i].size <= b->means[i - 1].size))
            err = dj_fail(context, DJ_ERR_INPUT, "mean_sizes[%zu] is negative, or its size does not increase",
                          i);
    return err;
}

const dj_section_ops dj_section_bytes = {
    .name = "bytes",
    .summary = "byte distances",
    .version = 2,
    .scope = DJ_SCOPE_LANE,
    .spread = true,
    .table = {byte_fields, sizeof(dj_byte_profile), DJ_ROW_OBJECT},
    .check = check_bytes,
};

static const dj_field fingerprint_fields[] = {
    DJ_AT(HEX, "fingerprint", dj_hash_profile, hash, .about = "ordered hash of all distances"),
    DJ_END,
};

const dj_section_ops dj_section_fingerprint = {
    .name = "fingerprint",
    .summary = "ordered hash of all distances",
    .version = 1,
    .scope = DJ_SCOPE_LANE,
    .spread = true,
    .table = {fingerprint_fields, sizeof(dj_hash_profile), DJ_ROW_OBJECT},
};

static const dj_field digest_fields[] = {
    DJ_AT(HEX, "digest", dj_hash_profile, hash, .about = "hash of all distances, joinable from parts"),
    DJ_END,
};

const dj_section_ops dj_section_digest = {
    .name = "digest",
    .summary = "hash of all distances that can be joined from parts",
    .version = 1,
    .scope = DJ_SCOPE_LANE,
    .spread = true,
    .table = {digest_fields, sizeof(dj_hash_profile), DJ_ROW_OBJECT},
};
