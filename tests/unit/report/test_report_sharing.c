// SPDX-License-Identifier: MIT
// The report of threads that share caches: relative speeds against numbers computed by hand.
#include "unit/access_list.h"

#include <deja/deja.h>

#include "unit/rendered.h"

#include "support/context.h"

enum { COUNT = 401 };

static const dj_source_info memory = {
    .format = "list", .kind = DJ_CLASS_MEMORY, .default_block = 64, .unit_bytes = 1};

// Thread 1 makes one access, thread 3 then 300, and thread 2 the last 100.
static dj_profile *measure(const dj_thread_work *threads, size_t count, size_t accesses)
{
    access_list l = {.count = accesses, .name = "trace", .columns = DJ_COLUMN_KIND, .threads = 1};
    const dj_sharing_request sharing = {.by_thread = true,
                                        .interleave = {.order = DJ_INTERLEAVE_RECORDED},
                                        .threads = threads,
                                        .thread_count = count};
    const dj_request request = {.sharing = &sharing};
    dj_profile *profile = NULL;
    l.items = calloc(COUNT, sizeof *l.items);
    assert_non_null(l.items);
    for (uint32_t i = 0; i < COUNT; i++)
        l.items[i] = (listed){.address = i % 7 * 64, .thread = i == 0 ? 1 : i <= 300 ? 3 : 2};
    dj_source *source = open_list(context, &l, &memory);
    assert_int_equal(dj_measure_source(context, source, &request, &profile), DJ_OK);
    dj_source_close(source);
    free(l.items);
    return profile;
}

static dj_profile *save_and_load(dj_profile *profile)
{
    dj_profile *again = NULL;
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(dj_profile_save(context, profile, DJ_BINS_EXACT, 0, file), DJ_OK);
    rewind(file);
    assert_int_equal(dj_profile_load(context, file, "saved", &again), DJ_OK);
    fclose(file);
    dj_profile_destroy(profile);
    return again;
}

static char *show(const dj_profile *profile)
{
    dj_document *document = NULL;
    assert_int_equal(dj_document_sharing(context, profile, &(dj_attribution_view){0}, &document), DJ_OK);
    return rendered(context, document, "text", &(dj_render_options){.width = 120, .unicode = true});
}

// Native: 100 and 300 accesses in 0.1 seconds each. Traced: in 1 and 2 seconds.
static void speeds_by_hand(void **state)
{
    (void)state;
    static const dj_thread_work times[] = {{2, 100, 1, 0.1}, {3, 300, 2, 0.1}, {1, 1, 0.5, 0.001}};
    dj_profile *profile = save_and_load(measure(times, 3, COUNT));
    const dj_sharing *s = dj_profile_sharing(profile);
    assert_int_equal(s->count, 3);
    assert_string_equal(s->sharers[0].name, "thread 1");
    // By their numbers, although thread 3 is recorded before thread 2.
    assert_string_equal(s->sharers[1].name, "thread 2");
    assert_true(s->sharers[1].is_thread && s->sharers[1].thread == 2);
    assert_true(s->sharers[1].cpu_seconds == 1 && s->sharers[1].native_cpu_seconds == 0.1);
    assert_true(s->sharers[2].cpu_seconds == 2 && s->sharers[2].native_cpu_seconds == 0.1);
    char *text = show(profile);
    assert_has(text, "exact for this order");
    assert_has(text, "thread 2           100   0.100    1.000  1.000  1.000   0.00%");
    // r = (300 / 0.1) / (100 / 0.1), r' = (300 / 2) / (100 / 1), |r - r'| / r = 1.5 / 3
    assert_has(text, "thread 3           300   0.100    2.000  3.000  1.500  50.00%");
    // Too short without a tracer; traced (1 / 0.5) / (100 / 1).
    assert_has(text, "thread 1             1   0.001    0.500      -  0.020       -");
    assert_has(text, "relative to thread 2");
    free(text);
    dj_profile_destroy(profile);
}

static void without_times(void **state)
{
    (void)state;
    dj_profile *profile = measure(NULL, 0, COUNT);
    char *text = show(profile);
    assert_null(strstr(text, "relative speeds"));
    free(text);
    dj_profile_destroy(profile);
}

static void one_sharer(void **state)
{
    (void)state;
    static const dj_thread_work times[] = {{1, 1, 1, 1}};
    dj_profile *profile = measure(times, 1, 1);
    char *text = show(profile);
    assert_has(text, "nothing is shared");
    assert_null(strstr(text, "relative speeds"));
    free(text);
    dj_profile_destroy(profile);
}

static void negative_times(void **state)
{
    (void)state;
    static const dj_thread_work times[] = {{2, 100, -1, 0.1}};
    dj_profile *profile = measure(times, 1, COUNT), *again = NULL;
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(dj_profile_save(context, profile, DJ_BINS_EXACT, 0, file), DJ_OK);
    rewind(file);
    assert_int_equal(dj_profile_load(context, file, "saved", &again), DJ_ERR_INPUT);
    assert_has(dj_context_message(context), "CPU time");
    fclose(file);
    dj_profile_destroy(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(speeds_by_hand),
        cmocka_unit_test(without_times),
        cmocka_unit_test(one_sharer),
        cmocka_unit_test(negative_times),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
