// SPDX-License-Identifier: MIT
// Arbitrary events and accesses, from the merging of statements through the locator, the region and
// the places observer to named rows, which must be consistent whatever the stream contains.
#include "fuzz/check.h"

#include <deja/deja.h>

#include "locate/locate.h"
#include "locate/region.h"
#include "locate/statements.h"

enum { RECORD_BYTES = 5, FUNCTIONS = 12, BATCH_MOST = 200 };

enum mode {
    MODE_FUNCTIONS = 1, // sites are in functions, some of them stubs
    MODE_VARIABLES = 2, // memory is full of variables; names are not requested
    MODE_FRESH = 4,
    MODE_SKIP = 8,
    MODE_THREAD = 16, // observers on a separate thread; rare, because starting it is slow
    MODE_STATEMENTS = 64,
    MODE_MARKED = 128,
};

typedef struct stream {
    const uint8_t *data;
    size_t bytes;
} stream;

// Numbers that are close together, so that they collide, and some at the limits.
static uint64_t number_of(uint8_t byte)
{
    static const uint64_t edges[] = {
        UINT64_MAX,        UINT64_MAX - 8,          (uint64_t)INT64_MAX, (uint64_t)INT64_MAX + 1,
        UINT64_C(1) << 48, (UINT64_C(1) << 32) - 1, UINT64_C(1) << 28,   UINT64_C(1) << 20};
    if (byte >= 248)
        return edges[byte - 248];
    if (byte >= 224)
        return UINT64_C(1) << (2 * byte - 2 * 224);
    return byte < 32 ? byte : 0x7000 + (uint64_t)byte * 24;
}

static int next(void *state, dj_context *context, dj_pool *pool, dj_batch **out)
{
    stream *s = state;
    *out = NULL;
    if (s->bytes < RECORD_BYTES)
        return DJ_OK;
    CHECK(dj_pool_take(context, pool, out) == DJ_OK);
    dj_batch_buffers buffers = dj_batch_writable(*out);
    for (; s->bytes >= RECORD_BYTES && (*out)->count < BATCH_MOST;
         s->data += RECORD_BYTES, s->bytes -= RECORD_BYTES) {
        const uint8_t *d = s->data;
        uint64_t a = number_of(d[1]), b = number_of(d[2]), c = number_of(d[3]) + d[4];
        uint32_t i = (*out)->count;
        if (d[0] % 16 <= DJ_EVENT_LAST && d[0] % 16 >= DJ_EVENT_MODULE) {
            const dj_event event = {.index = i,
                                    .type = d[0] % 16,
                                    .a = a,
                                    .b = b,
                                    .c = c,
                                    .text = d[0] & 16   ? "mmap"
                                            : d[0] & 32 ? "name"
                                                        : ""};
            CHECK(dj_batch_add_event(context, *out, &event) == DJ_OK);
            continue;
        }
        buffers.address[i] = c;
        buffers.site[i] = (uint32_t)a;
        buffers.kind[i] = d[2] % 3;
        (*out)->count++;
    }
    dj_batch_set_columns(*out, DJ_COLUMN_SITE | DJ_COLUMN_KIND);
    return DJ_OK;
}

static int add_module(void *user, dj_context *context, uint32_t id, const char *path, const char *identity)
{
    (void)user;
    (void)context;
    (void)id;
    CHECK(path && identity);
    return DJ_OK;
}

static uint32_t function(void *user, uint32_t module, uint64_t offset)
{
    (void)user;
    return (uint32_t)((module + offset) % FUNCTIONS);
}

static bool is_stub(void *user, uint32_t number)
{
    (void)user;
    return number == FUNCTIONS - 1;
}

static bool global(void *user, uint32_t module, uint64_t offset, dj_extent *out)
{
    (void)user;
    *out = (dj_extent){(int64_t)(offset & ~UINT64_C(31)), (int64_t)(offset | 31), 1 + module};
    return offset % 3 != 0 && offset < INT64_MAX - 32;
}

static bool local(void *user, uint32_t number, uint64_t pc, int64_t cfa_offset, dj_extent *out)
{
    (void)user;
    (void)pc;
    *out = (dj_extent){cfa_offset & ~INT64_C(15), cfa_offset | 15, 1000 + number};
    return cfa_offset % 5 != 0;
}

static bool statement(void *user, uint32_t module, uint64_t offset, dj_statement_info *out)
{
    (void)user;
    *out = (dj_statement_info){.file = "f.c",
                               .line = 1 + (uint32_t)(module + offset) % 7,
                               .exact = offset & 8,
                               .repeats = offset & 16,
                               .returns_nothing = offset & 32};
    return offset % 5 != 0;
}

static void check_places(const dj_located *all)
{
    for (uint32_t i = 0; i < all->places.count; i++) {
        const dj_place *p = dj_place_get(&all->places, i);
        CHECK(p->site < all->site_count && p->cct_node < all->cct_count);
        CHECK(p->object < all->object_count && p->thread < all->thread_count);
    }
    for (size_t i = 0; i < all->cct_count; i++)
        CHECK(all->cct[i].parent == DJ_NOWHERE || all->cct[i].parent < i);
}

static void count(dj_context *context, dj_locator *locator, dj_source *source, unsigned mode)
{
    static const uint64_t cuts[] = {2, 7, 30}, block = 64;
    const dj_located *all = dj_locator_get(locator);
    const dj_places_options places = {.places = &all->places, .cuts = cuts, .cut_count = 3};
    const dj_observer_choice observer = {dj_observer_find("places"), &places};
    const dj_pipeline_config config = {.engine = dj_engine_find("stack"), // the quickest to create
                                       .blocks = &block,
                                       .block_count = 1,
                                       .tag = DJ_TAG_PLACE,
                                       .observers = &observer,
                                       .observer_count = 1,
                                       .observer_threads = mode & MODE_THREAD ? 1 : 0};
    dj_pipeline *pipeline = NULL;
    dj_profile *profile = NULL;
    CHECK(dj_pipeline_create(context, &config, &pipeline) == DJ_OK);
    int err = dj_pipeline_run(pipeline, context, source);
    CHECK(err == DJ_OK || (err == DJ_ERR_INPUT && dj_context_message(context)[0]));
    CHECK(dj_pipeline_finish(pipeline, context, &profile) == DJ_OK);
    check_places(all);
    if (!(mode & MODE_VARIABLES)) {
        CHECK(dj_resolve(context, all, NULL, dj_profile_attribution(profile), NULL) == DJ_OK);
        CHECK(dj_attribution_check(context, dj_profile_attribution(profile)) == DJ_OK);
    }
    dj_profile_destroy(profile);
    dj_pipeline_destroy(pipeline);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static const dj_source_ops ops = {.next = next};
    static const dj_source_info info = {
        .format = "fuzz", .default_block = 64, .unit_bytes = 1, .columns = DJ_COLUMN_SITE | DJ_COLUMN_KIND};
    if (bytes == 0)
        return 0;
    unsigned mode = data[0] < 252 ? data[0] & ~(unsigned)MODE_THREAD : data[0];
    stream s = {data + 1, bytes - 1};
    dj_context *context = NULL;
    dj_locator *locator = NULL;
    dj_region *region = NULL;
    dj_statements *statements = NULL;
    dj_source *inner, *merged = NULL, *located, *counted;
    dj_locator_options options = {.fresh_heap = mode & MODE_FRESH, .lookup.add_module = add_module};
    if (mode & MODE_FUNCTIONS) {
        options.lookup.function = function;
        options.lookup.is_stub = is_stub;
    }
    if (mode & MODE_VARIABLES) {
        options.lookup.global = global;
        options.lookup.local = local;
    }
    const dj_region_options part = {.skip = mode & MODE_SKIP ? 3 : 0,
                                    .stop_after = mode & MODE_SKIP ? 300 : 0};
    CHECK(dj_context_create(&context) == DJ_OK);
    CHECK(dj_source_create(context, &ops, &s, &info, &inner) == DJ_OK);
    if (mode & MODE_STATEMENTS) {
        const dj_statements_options merging = {.lookup.statement = statement, .mark = mode & MODE_MARKED};
        CHECK(dj_statements_create(context, &merging, &statements) == DJ_OK);
        CHECK(dj_statements_source(context, statements, inner, &merged) == DJ_OK);
    }
    CHECK(dj_locator_create(context, &options, &locator) == DJ_OK);
    CHECK(dj_locator_source(context, locator, merged ? merged : inner, &located) == DJ_OK);
    CHECK(dj_region_create(context, &part, locator, NULL, &region) == DJ_OK);
    CHECK(dj_region_source(context, region, located, &counted) == DJ_OK);
    count(context, locator, counted, mode);
    dj_source_close(counted);
    dj_source_close(located);
    dj_source_close(merged);
    dj_source_close(inner);
    dj_region_destroy(region);
    dj_locator_destroy(locator);
    dj_statements_destroy(statements);
    dj_context_destroy(context);
    return 0;
}
