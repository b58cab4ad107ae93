// SPDX-License-Identifier: MIT
// Section `spatial`: how reuse distances change when the block size doubles.
#include <inttypes.h>
#include <stdlib.h>

#include "profile/fields.h"
#include "profile/json.h"
#include "profile/spatial_check.h"

// Bins from 0 to the last non-empty one.
static size_t bins_in_use(const void *row)
{
    const dj_spatial_pair *pair = row;
    unsigned bins = DJ_SPATIAL_BINS;
    while (bins > 0 && pair->cold[bins - 1] == 0 && dj_spatial_row(pair, bins - 1).reuses == 0)
        bins--;
    return bins;
}

DJ_WRITER(write_double)
{
    dj_json_uint(writer->json, field->name, 2 * ((const dj_spatial_pair *)row)->block_bytes);
}

DJ_WRITER(write_scores)
{
    dj_json_begin_flat_list(writer->json, field->name);
    for (unsigned i = 0; i < bins_in_use(row); i++) {
        dj_spatial_count in_bin = dj_spatial_row(row, i);
        if (in_bin.reuses)
            dj_json_real(writer->json, NULL, dj_spatial_score(in_bin.reuses, in_bin.effective));
        else
            dj_json_null(writer->json, NULL);
    }
    dj_json_end_list(writer->json);
}

DJ_WRITER(write_score)
{
    dj_spatial_count whole = dj_spatial_whole(row);
    dj_json_real(writer->json, field->name, dj_spatial_score(whole.reuses, whole.effective));
}

static bool has_parts(const void *row)
{
    return ((const dj_spatial_pair *)row)->part_count > 0;
}

static dj_spatial_range range_of(const dj_spatial *spatial, const dj_spatial_pair *pair)
{
    return dj_spatial_score_range(spatial, (size_t)(pair - spatial->pairs), 0, DJ_SPATIAL_BINS);
}

DJ_WRITER(write_low)
{
    dj_json_real(writer->json, field->name, range_of(writer->section, row).low);
}

DJ_WRITER(write_high)
{
    dj_json_real(writer->json, field->name, range_of(writer->section, row).high);
}

static bool is_estimate(const void *row)
{
    return dj_spatial_is_estimate(row);
}

DJ_WRITER(write_all_low)
{
    dj_json_real(writer->json, field->name, dj_spatial_all_blocks_range(row).low);
}

DJ_WRITER(write_all_high)
{
    dj_json_real(writer->json, field->name, dj_spatial_all_blocks_range(row).high);
}

DJ_WRITER(write_reuses)
{
    dj_json_uint(writer->json, field->name, dj_spatial_whole(row).reuses);
}

DJ_WRITER(write_effective)
{
    dj_json_uint(writer->json, field->name, dj_spatial_whole(row).effective);
}

// As many columns as rows.
DJ_WRITER(write_map)
{
    const dj_spatial_pair *pair = row;
    size_t bins = bins_in_use(pair);
    dj_json_begin_list(writer->json, field->name);
    for (size_t i = 0; i < bins; i++) {
        dj_json_begin_flat_list(writer->json, NULL);
        for (size_t j = 0; j < bins; j++)
            dj_json_uint(writer->json, NULL, pair->map[i][j]);
        dj_json_end_list(writer->json);
    }
    dj_json_end_list(writer->json);
}

DJ_WRITER(write_cold)
{
    uint64_t spatial = 0;
    for (unsigned j = 0; j < DJ_SPATIAL_BINS; j++)
        spatial += ((const dj_spatial_pair *)row)->cold[j];
    dj_json_uint(writer->json, field->name, spatial);
}

DJ_WRITER(write_all_blocks)
{
    dj_json_real(writer->json, field->name, dj_spatial_all_blocks(row));
}

// The layout of a cache of a pair in JSON.
typedef struct pair_cache {
    char *name;
    dj_spatial_cache counts;
    double score;
    uint64_t sum;
} pair_cache;

#define REQUIRED .flags = DJ_FIELD_REQUIRED
static const dj_field pair_cache_fields[] = {
    DJ_AT(TEXT, "name", pair_cache, name),
    DJ_AT(U64, "reuses", pair_cache, counts.own.reuses, REQUIRED,
          .about = "distances from it up to the next one"),
    DJ_AT(U64, "effective", pair_cache, counts.own.effective, REQUIRED,
          .about = "those of them below it when the block size doubles"),
    DJ_AT(REAL, "score", pair_cache, score),
    DJ_AT(U64, "distance_sum", pair_cache, sum, REQUIRED),
    DJ_AT(U64, "misses", pair_cache, counts.all.reuses, REQUIRED, .about = "all distances from it on"),
    DJ_AT(U64, "double_hits", pair_cache, counts.all.effective, REQUIRED,
          .about = "those of them below it when the block size doubles"),
    DJ_END,
};
static const dj_table pair_cache_row = {pair_cache_fields, sizeof(pair_cache), DJ_ROW_LINE};

DJ_WRITER(write_caches)
{
    const dj_spatial *spatial = writer->section;
    const dj_spatial_pair *pair = row;
    dj_fields_writer within = *writer;
    dj_json_begin_list(writer->json, field->name);
    for (size_t i = 0; i < spatial->cache_count; i++) {
        const dj_spatial_cache *cache = &pair->caches[i];
        const pair_cache made = {.name = spatial->caches[i].name,
                                 .counts = *cache,
                                 .score = dj_spatial_score(cache->own.reuses, cache->own.effective),
                                 .sum = pair->cache_sum[i]};
        dj_json_begin_row(writer->json, NULL);
        (void)dj_fields_write(&within, pair_cache_fields, &made);
        dj_json_end_object(writer->json);
    }
    dj_json_end_list(writer->json);
}

static int read_cache(dj_json_reader *reader, void *target)
{
    dj_spatial_pair *pair = target;
    if (pair->cache_count == DJ_SPATIAL_CACHES_MOST)
        return dj_json_fail(reader, "more than %d caches", DJ_SPATIAL_CACHES_MOST);
    pair_cache made = {.name = NULL};
    int err = dj_fields_read(reader, &pair_cache_row, &made);
    free(made.name);
    if (err)
        return err;
    pair->caches[pair->cache_count] = made.counts;
    pair->cache_sum[pair->cache_count++] = made.sum;
    return DJ_OK;
}

static int read_caches(dj_json_reader *reader, void *row)
{
    dj_spatial_pair *pair = row;
    pair->caches = calloc(DJ_SPATIAL_CACHES_MOST, sizeof *pair->caches);
    pair->cache_sum = calloc(DJ_SPATIAL_CACHES_MOST, sizeof *pair->cache_sum);
    if (!pair->caches || !pair->cache_sum)
        return dj_fail_memory(dj_json_context(reader), "the spatial locality", 0);
    return dj_json_read_list(reader, read_cache, pair);
}

#define BINS(name_, member_, ...)                                                                            \
    DJ_AT(LIST, name_, dj_spatial_pair, member_, .rows = &dj_number_cell, .most = DJ_SPATIAL_BINS,           \
          .count = bins_in_use, .flags = DJ_FIELD_REQUIRED | DJ_FIELD_IN_PLACE | DJ_FIELD_FLAT, __VA_ARGS__)
#define COUNT "{\"$ref\": \"#/$defs/count\"}"

static const dj_field map_row_fields[] = {
    {.name = "bins",
     .type = DJ_FIELD_LIST,
     .flags = DJ_FIELD_IN_PLACE | DJ_FIELD_FLAT,
     .rows = &dj_number_cell,
     .most = DJ_SPATIAL_BINS},
    DJ_END,
};
static const dj_table map_row = {map_row_fields, DJ_SPATIAL_BINS * sizeof(uint64_t), DJ_ROW_CELL};

static const dj_field cold_fields[] = {
    DJ_AT(U64, "cold", dj_spatial_pair, cold_both, REQUIRED, .about = "cold at both block sizes"),
    {.name = "spatial", .type = DJ_FIELD_JSON, .write = write_cold, .schema = COUNT, .about = "the others"},
    BINS("bins", cold, .about = "cold accesses by their bin at the double block size"),
    DJ_END,
};
static const dj_table cold_row = {cold_fields, sizeof(dj_spatial_pair), DJ_ROW_LINE};
static const dj_table cache_counts = {
    (const dj_field[]){DJ_AT(U64, "own reuses", dj_spatial_cache, own.reuses),
                       DJ_AT(U64, "own effective", dj_spatial_cache, own.effective),
                       DJ_AT(U64, "all reuses", dj_spatial_cache, all.reuses),
                       DJ_AT(U64, "all effective", dj_spatial_cache, all.effective), DJ_END},
    sizeof(dj_spatial_cache), DJ_ROW_SPLICED};

static const dj_field part_fields[] = {
    DJ_AT(U32, "group", dj_spatial_part, group),
    DJ_AT(U32, "seen", dj_spatial_part, seen,
          .about = "0: both distances, not effective; 1: both, effective; 2: only that at the double block "
                   "size; 3: neither"),
    DJ_AT(U32, "here", dj_spatial_part, here, .about = "bin at this block size, or the lowest possible one"),
    DJ_AT(U32, "there", dj_spatial_part, there, .about = "bin at the double size, if only that is known"),
    DJ_AT(U64, "count", dj_spatial_part, count),
    DJ_END,
};
static const dj_table part_row = {part_fields, sizeof(dj_spatial_part), DJ_ROW_CELLS};

#define BOUNDS(range_)                                                                                       \
    DJ_AT(U64, #range_ " reuses", dj_spatial_part_cache, range_.reuses),                                     \
        DJ_AT(U64, #range_ " effective", dj_spatial_part_cache, range_.effective),                           \
        DJ_AT(U64, #range_ " if_effective", dj_spatial_part_cache, range_.if_effective),                     \
        DJ_AT(U64, #range_ " if_not", dj_spatial_part_cache, range_.if_not),                                 \
        DJ_AT(U64, #range_ " either", dj_spatial_part_cache, range_.either)
static const dj_field part_cache_fields[] = {
    DJ_AT(U32, "group", dj_spatial_part_cache, group),
    DJ_AT(U32, "cache", dj_spatial_part_cache, cache),
    BOUNDS(own),
    BOUNDS(all),
    DJ_END,
};
static const dj_table part_cache_row = {part_cache_fields, sizeof(dj_spatial_part_cache), DJ_ROW_CELLS};
enum { PARTS_MOST = 1 << 20 };

// Of an estimate.
#define END_OF_RANGE(name_, write_, when_, about_)                                                           \
    {                                                                                                        \
        .name = (name_), .type = DJ_FIELD_JSON, .write = (write_), .when = (when_),                          \
        .schema = "{\"type\": \"number\"}", .about = (about_)                                                \
    }
#define LOW(name_, write_, when_)                                                                            \
    END_OF_RANGE(name_, write_, when_, "of an estimate: the score is probably not lower")
#define HIGH(name_, write_, when_) END_OF_RANGE(name_, write_, when_, "and not higher")

static const dj_field pair_fields[] = {
    DJ_AT(U64, "block", dj_spatial_pair, block_bytes, REQUIRED, .about = "in address units"),
    {.name = "double_block", .type = DJ_FIELD_JSON, .write = write_double, .schema = COUNT},
    {.name = "score_by_bin",
     .type = DJ_FIELD_JSON,
     .write = write_scores,
     .schema = "{\"type\": \"array\", \"items\": {\"type\": [\"number\", \"null\"]}}"},
    {.name = "score",
     .type = DJ_FIELD_JSON,
     .write = write_score,
     .schema = "{\"type\": \"number\"}",
     .about = "2 effective / reuses; 0 without reuses"},
    LOW("score_low", write_low, has_parts),
    HIGH("score_high", write_high, has_parts),
    {.name = "reuses", .type = DJ_FIELD_JSON, .write = write_reuses, .schema = COUNT},
    {.name = "effective", .type = DJ_FIELD_JSON, .write = write_effective, .schema = COUNT},
    DJ_AT(LIST, "map", dj_spatial_pair, map, .rows = &map_row, .most = DJ_SPATIAL_BINS, .write = write_map,
          .flags = DJ_FIELD_REQUIRED | DJ_FIELD_IN_PLACE,
          .about = "reuses by their bin at this block size (rows) and at the double size (columns)"),
    {.name = "cold_row",
     .type = DJ_FIELD_OBJECT,
     .rows = &cold_row,
     REQUIRED,
     .about = "accesses that are cold at this block size"},
    BINS("intercepted", intercepted, .about = "of each row: the other half was used in between"),
    BINS("distance_sum", distance_sum, .about = "of each row: sum of the distances at this block size"),
    {.name = "caches",
     .type = DJ_FIELD_JSON,
     .write = write_caches,
     .read = read_caches,
     .rows = &pair_cache_row},
    DJ_AT(LIST, "caches", dj_spatial_pair, caches, .rows = &cache_counts, .flags = DJ_FIELD_NOT_JSON,
          .count_at = offsetof(dj_spatial_pair, cache_count), .most = DJ_SPATIAL_CACHES_MOST),
    DJ_NUMBER_LIST("cache_sum", dj_spatial_pair, cache_sum, cache_count,
                   .flags = DJ_FIELD_NOT_JSON | DJ_FIELD_SHARED),
    DJ_AT(LIST, "parts", dj_spatial_pair, parts, .rows = &part_row, .most = PARTS_MOST,
          .count_at = offsetof(dj_spatial_pair, part_count), .flags = DJ_FIELD_OMIT, .since = 2,
          .about = "of an estimate: what groups of bursts have counted, of which group 0 is the first burst"),
    DJ_AT(LIST, "part_caches", dj_spatial_pair, part_caches, .rows = &part_cache_row, .most = PARTS_MOST,
          .count_at = offsetof(dj_spatial_pair, part_cache_count), .flags = DJ_FIELD_OMIT, .since = 2,
          .about = "the same for each cache"),
    DJ_END,
};
static const dj_table pair_row = {pair_fields, sizeof(dj_spatial_pair), DJ_ROW_OBJECT};

static const dj_field cache_fields[] = {
    DJ_AT(TEXT, "name", dj_spatial_cache_size, name, REQUIRED),
    DJ_AT(U64, "bytes", dj_spatial_cache_size, bytes, REQUIRED),
    DJ_END,
};
static const dj_table cache_row = {cache_fields, sizeof(dj_spatial_cache_size), DJ_ROW_LINE};

static const dj_field spatial_fields[] = {
    DJ_AT(LIST, "caches", dj_spatial, caches, .rows = &cache_row,
          .count_at = offsetof(dj_spatial, cache_count), .most = DJ_SPATIAL_CACHES_MOST,
          .about = "increasing"),
    DJ_AT(U64, "usage_block", dj_spatial, usage_block,
          .about = "block size for which use of blocks is counted; 0: not counted"),
    DJ_AT(U64, "usage_cache", dj_spatial, usage_cache,
          .about = "bytes of the cache into which they are fetched"),
    DJ_AT(REAL, "group_weight", dj_spatial, group_weight, .flags = DJ_FIELD_OMIT, .since = 2,
          .about = "accesses that each one in a group of bursts stands for, except in the first"),
    DJ_NUMBER_LIST("group_accesses", dj_spatial, group_accesses, group_count, .flags = DJ_FIELD_OMIT,
                   .since = 2, .about = "accesses in each group of bursts; the first is the first burst"),
    DJ_AT(BOOL, "by_place", dj_spatial, by_place, .flags = DJ_FIELD_OMIT, .since = 3,
          .about = "places have parts, too"),
    {.name = "all_block_score",
     .type = DJ_FIELD_JSON,
     .write = write_all_blocks,
     .schema = "{\"type\": \"number\"}",
     .about = "scores of all pairs, each weighted by 1 / block"},
    LOW("all_block_score_low", write_all_low, is_estimate),
    HIGH("all_block_score_high", write_all_high, is_estimate),
    DJ_AT(LIST, "pairs", dj_spatial, pairs, .rows = &pair_row, .count_at = offsetof(dj_spatial, pair_count),
          .most = DJ_SPATIAL_PAIRS_MOST, REQUIRED, .about = "each block size and its double"),
    DJ_END,
};

void dj_json_spatial(dj_json_writer *json, const dj_spatial *spatial)
{
    dj_fields_writer writer = {.json = json, .section = spatial};
    (void)dj_fields_write(&writer, spatial_fields, spatial); // no histograms, so nothing can fail
}

int dj_spatial_create(dj_context *context, size_t pair_count, size_t cache_count, dj_spatial **out)
{
    dj_spatial *s = calloc(1, sizeof *s);
    if (!s)
        return dj_fail_memory(context, "the spatial locality", sizeof *s);
    s->pairs = calloc(pair_count + 1, sizeof *s->pairs);
    s->caches = calloc(cache_count + 1, sizeof *s->caches);
    bool full = s->pairs && s->caches;
    for (; full && s->pair_count < pair_count; s->pair_count++) {
        dj_spatial_pair *pair = &s->pairs[s->pair_count];
        pair->caches = calloc(cache_count + 1, sizeof *pair->caches);
        pair->cache_sum = calloc(cache_count + 1, sizeof *pair->cache_sum);
        pair->cache_count = cache_count;
        full = pair->caches && pair->cache_sum;
    }
    s->cache_count = s->caches ? cache_count : 0;
    if (!full) {
        dj_spatial_destroy(s);
        return dj_fail_memory(context, "the spatial locality", pair_count * sizeof *s->pairs);
    }
    *out = s;
    return DJ_OK;
}

void dj_spatial_destroy(dj_spatial *spatial)
{
    if (!spatial)
        return;
    dj_fields_free(spatial_fields, spatial);
    free(spatial);
}

static int check(dj_context *context, void *value)
{
    const dj_spatial *spatial = value;
    for (size_t i = 0; i < spatial->pair_count; i++)
        if (spatial->pairs[i].cache_count != spatial->cache_count)
            return dj_fail(context, DJ_ERR_INPUT, "pairs[%zu] has %zu caches, not %zu", i,
                           spatial->pairs[i].cache_count, spatial->cache_count);
    return dj_spatial_check(context, spatial);
}

// Compares what lane `lane` reports with the rows of pair `pair`.
static const char *unlike_lane(const dj_spatial_pair *pair, const dj_lane_profile *lane)
{
    uint64_t rows[DJ_SPATIAL_BINS] = {0}, cold = pair->cold_both;
    for (unsigned i = 0; i < DJ_SPATIAL_BINS; i++)
        cold += pair->cold[i];
    if (pair->block_bytes != lane->id.block_bytes)
        return "its block is not that of the histogram";
    if (cold != lane->cold)
        return "its number of cold accesses differs from that of the histogram";
    if (lane->binned)
        return NULL;
    for (uint64_t value = 0, n; (n = dj_histogram_next(lane->distance, &value)) != 0; value++)
        rows[dj_log2_bin(value)] += n;
    for (unsigned i = 0; i < DJ_SPATIAL_BINS; i++)
        if (rows[i] != dj_spatial_row(pair, i).reuses)
            return "its rows do not add up to the histogram";
    return NULL;
}

static int settle(dj_context *context, dj_profile *profile, dj_lane_profile *none, void *value)
{
    (void)none;
    const dj_spatial *spatial = value;
    if (!profile->provenance.exact)
        return DJ_OK;
    if (spatial->pair_count + 1 != profile->lane_count)
        return dj_fail(context, DJ_ERR_INPUT, "spatial: %zu pairs do not fit %zu block sizes",
                       spatial->pair_count, profile->lane_count);
    for (size_t i = 0; i < spatial->pair_count; i++) {
        const char *wrong = unlike_lane(&spatial->pairs[i], &profile->lanes[i]);
        if (wrong)
            return dj_fail(context, DJ_ERR_INPUT, "spatial.pairs[%zu]: %s", i, wrong);
    }
    return DJ_OK;
}

const dj_section_ops dj_section_spatial = {
    .name = "spatial",
    .summary = "reuse distances when the block size doubles",
    .version = 3,
    .scope = DJ_SCOPE_PROFILE,
    .table = {spatial_fields, sizeof(dj_spatial), DJ_ROW_OBJECT},
    .check = check,
    .settle = settle,
};
