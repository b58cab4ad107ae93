// SPDX-License-Identifier: MIT
// Sections of a lane that are computed from all distances: `time`, `bytes`, `fingerprint`, `digest`.
#include "profile/fields.h"

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

static const dj_field byte_fields[] = {
    DJ_AT(HISTOGRAM, "byte_histogram", dj_byte_profile, distance, .flags = DJ_FIELD_REQUIRED,
          .about = "of the bytes that an LRU cache needs for each access to hit, including its own"),
    DJ_AT(U64, "cold_bytes", dj_byte_profile, cold_bytes, .when = has_weights,
          .about = "bytes requested by first accesses"),
    DJ_AT(HISTOGRAM, "byte_weights", dj_byte_profile, weight, .flags = DJ_FIELD_OMIT,
          .about = "values of byte_histogram, counted in requested bytes"),
    DJ_END,
};

const dj_section_ops dj_section_bytes = {
    .name = "bytes",
    .summary = "byte distances",
    .version = 1,
    .scope = DJ_SCOPE_LANE,
    .spread = true,
    .table = {byte_fields, sizeof(dj_byte_profile), DJ_ROW_OBJECT},
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
