// SPDX-License-Identifier: MIT
#include <deja/profile.h>

#include <stdlib.h>

const dj_section_ops dj_section_header = {.name = "header", .summary = "", .version = 1};
const dj_section_ops dj_section_traffic = {.name = "traffic", .version = 1};
const dj_section_ops dj_section_lane = {.name = "lane", .version = 1, .scope = DJ_SCOPE_LANE};
const dj_section_ops dj_section_histogram = {.name = "histogram", .version = 1, .scope = DJ_SCOPE_LANE};
const dj_section_ops dj_section_fingerprint = {
    .name = "fingerprint", .version = 1, .scope = DJ_SCOPE_LANE, .table = {.bytes = sizeof(dj_hash_profile)}};
const dj_section_ops dj_section_digest = {
    .name = "digest", .version = 1, .scope = DJ_SCOPE_LANE, .table = {.bytes = sizeof(dj_hash_profile)}};
static void free_time(void *value)
{
    dj_histogram_destroy(((dj_time_profile *)value)->distance);
}
const dj_section_ops dj_section_time = {.name = "time",
                                        .version = 1,
                                        .scope = DJ_SCOPE_LANE,
                                        .table = {.bytes = sizeof(dj_time_profile)},
                                        .free = free_time};
static void free_bytes(void *value)
{
    dj_histogram_destroy(((dj_byte_profile *)value)->distance);
    dj_histogram_destroy(((dj_byte_profile *)value)->weight);
}
const dj_section_ops dj_section_bytes = {.name = "bytes",
                                         .version = 1,
                                         .scope = DJ_SCOPE_LANE,
                                         .table = {.bytes = sizeof(dj_byte_profile)},
                                         .free = free_bytes};
static void free_keys(void *value)
{
    dj_key_profile *keys = value;
    dj_histogram_destroy(keys->access_counts);
    free(keys->list_key);
    free(keys->list_device);
    free(keys->list_offset);
    free(keys->list_distances);
}
const dj_section_ops dj_section_keys = {.name = "keys",
                                        .version = 1,
                                        .scope = DJ_SCOPE_LANE,
                                        .table = {.bytes = sizeof(dj_key_profile)},
                                        .free = free_keys};
static void free_strides(void *value)
{
    dj_histogram_destroy(((dj_stride_profile *)value)->stride);
}
const dj_section_ops dj_section_strides = {.name = "strides",
                                           .version = 1,
                                           .scope = DJ_SCOPE_LANE,
                                           .table = {.bytes = sizeof(dj_stride_profile)},
                                           .free = free_strides};
static void free_simulated(void *value)
{
    free(((dj_simulated_profile *)value)->caches);
}
const dj_section_ops dj_section_simulated = {.name = "simulated",
                                             .version = 1,
                                             .scope = DJ_SCOPE_LANE,
                                             .table = {.bytes = sizeof(dj_simulated_profile)},
                                             .free = free_simulated};
