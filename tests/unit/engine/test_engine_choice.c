// SPDX-License-Identifier: MIT
// Which engine is used: a table of situations, and all combinations of them compared with the rule in
// docs/algorithms.md.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/choice.h"
#include "engine/registry.h"
#include "support/context.h"

#define MIB (UINT64_C(1) << 20)

enum shape { ONE, DOUBLING, SEPARATE };
static const uint64_t sizes[][3] = {{64}, {32, 64, 128}, {64, 4096}};
static const size_t counts[] = {1, 3, 2};

typedef struct situation {
    const char *name; // of the requested engine, or NULL
    uint64_t threads; // requested
    uint64_t file_bytes;
    unsigned cpus;
    bool device;
    uint32_t needs;
    enum shape blocks;
    bool summarize, while_it_runs;
} situation;

static bool is_there(const dj_engine_ops *engine)
{
    (void)engine;
    return true;
}

static bool is_not_there(const dj_engine_ops *engine)
{
    (void)engine;
    return false;
}

// The options of all engines, with this number of threads if there is such an option.
static void **make_options(uint64_t threads)
{
    void **all = calloc(dj_engine_count(), sizeof *all);
    for (size_t i = 0; i < dj_engine_count(); i++) {
        const dj_engine_ops *engine = dj_engine_get(i);
        all[i] = calloc(1, engine->options_bytes + 1);
        if (engine->default_options)
            memcpy(all[i], engine->default_options, engine->options_bytes);
        for (const dj_option *o = engine->options; threads && o && o->name; o++)
            if (strcmp(o->name, "threads") == 0)
                memcpy((char *)all[i] + o->offset, &threads, sizeof threads);
    }
    return all;
}

static void free_options(void **all)
{
    for (size_t i = 0; i < dj_engine_count(); i++)
        free(all[i]);
    free(all);
}

static int choose(const situation *s, dj_engine_choice *out)
{
    void **options = make_options(s->threads);
    dj_engine_preference preference;
    int err = dj_engine_preference_make(context, s->name, options, &preference);
    const dj_engine_task task = {.needs = s->needs,
                                 .blocks = sizes[s->blocks],
                                 .block_count = counts[s->blocks],
                                 .summarize = s->summarize,
                                 .while_it_runs = s->while_it_runs,
                                 .file_bytes = s->file_bytes,
                                 .cpus = s->cpus,
                                 .has_device = s->device ? is_there : is_not_there};
    if (!err) {
        *out = dj_engine_choose(&preference, &task);
        size_t at = 0;
        while (dj_engine_get(at) != out->engine)
            at++;
        assert_true(!out->options || out->options == options[at]); // its own
    }
    free_options(options);
    return err;
}

static void situations(void **state)
{
    (void)state;
    static const struct {
        const char *engine;
        situation s;
    } table[] = {
        // Length, processors, device.
        {"fast", {.cpus = 16}},
        {"fast", {.cpus = 2, .file_bytes = 32 * MIB - 1}},
        {"parallel", {.cpus = 2, .file_bytes = 32 * MIB}},
        {"fast", {.cpus = 1, .file_bytes = 32 * MIB}},
        {"fast", {.cpus = 1, .file_bytes = 256 * MIB}},
        {"gpu", {.cpus = 1, .file_bytes = 256 * MIB, .device = true}},
        {"fast", {.cpus = 1, .file_bytes = 256 * MIB - 1, .device = true}},
        {"parallel", {.cpus = 16, .file_bytes = 4096 * MIB - 1, .device = true}},
        {"gpu", {.cpus = 16, .file_bytes = 4096 * MIB, .device = true}},
        {"parallel", {.cpus = 16, .file_bytes = 4096 * MIB}},
        // A program that analyzes itself needs its processors for other things.
        {"fast", {.cpus = 16, .file_bytes = 4096 * MIB, .device = true, .while_it_runs = true}},
        // Needs.
        {"tree", {.cpus = 16, .file_bytes = 4096 * MIB, .device = true, .needs = DJ_CAN_WEIGHTS}},
        {"tree", {.cpus = 2, .needs = DJ_CAN_WEIGHTS, .threads = 4}},
        {"parallel", {.cpus = 2, .file_bytes = 64 * MIB, .needs = DJ_CAN_TAGS | DJ_CAN_TIMES}},
        // Blocks.
        {"shadow", {.cpus = 1, .blocks = DOUBLING}},
        {"shadow", {.cpus = 16, .file_bytes = 4096 * MIB, .device = true, .blocks = DOUBLING}},
        {"parallel", {.cpus = 16, .file_bytes = 64 * MIB, .blocks = SEPARATE}},
        {"tree", {.cpus = 2, .blocks = DOUBLING, .needs = DJ_CAN_WEIGHTS}},
        {"fast", {.cpus = 2, .blocks = DOUBLING, .summarize = true, .needs = DJ_CAN_SUMMARY}},
        {"parallel",
         {.cpus = 2, .file_bytes = 32 * MIB, .blocks = DOUBLING, .summarize = true, .needs = DJ_CAN_SUMMARY}},
        // Threads.
        {"fast", {.cpus = 16, .file_bytes = 4096 * MIB, .device = true, .threads = 1}},
        {"parallel", {.cpus = 1, .threads = 2}},
        {"parallel", {.cpus = 16, .file_bytes = 4096 * MIB, .device = true, .threads = 3}},
        {"parallel", {.cpus = 4, .threads = 3, .blocks = DOUBLING}},
        {"shadow", {.cpus = 4, .threads = 1, .blocks = DOUBLING}},
        // Names: this one or none.
        {"fast", {.name = "fast", .cpus = 16, .file_bytes = 4096 * MIB, .device = true, .blocks = DOUBLING}},
        {"fast", {.name = "fast", .cpus = 2, .needs = DJ_CAN_WEIGHTS}},
        {"hprda", {.name = "hprda", .cpus = 2, .needs = DJ_CAN_TAGS}},
        {"gpu", {.name = "gpu", .cpus = 2}},
        {"parallel", {.name = "auto", .cpus = 2, .file_bytes = 32 * MIB}},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        dj_engine_choice choice;
        assert_int_equal(choose(&table[i].s, &choice), DJ_OK);
        if (strcmp(choice.engine->name, table[i].engine) != 0)
            fail_msg("situation %zu: %s, not %s", i, choice.engine->name, table[i].engine);
    }
}

// The rule in terms of names, as users read it.
static const char *expect(const situation *s)
{
    if (s->name)
        return s->name;
    if (s->needs & DJ_CAN_WEIGHTS)
        return "tree";
    if (s->threads > 1)
        return "parallel";
    if (s->blocks == DOUBLING && !s->summarize)
        return "shadow";
    if (s->threads == 1 || s->while_it_runs)
        return "fast";
    if (s->device && s->file_bytes >= 256 * MIB * s->cpus)
        return "gpu";
    return s->cpus >= 2 && s->file_bytes >= 32 * MIB ? "parallel" : "fast";
}

enum { LENGTHS = 6, CPUS = 4, NEEDS = 4, NAMES = 4, THREADS = 4 };

// Splits off a digit of a number whose digits have different bases.
static size_t digit(size_t *number, size_t base)
{
    size_t value = *number % base;
    *number /= base;
    return value;
}

static situation combine(size_t number)
{
    static const uint64_t lengths[LENGTHS] = {0, MIB, 32 * MIB - 1, 32 * MIB, 511 * MIB, 512 * MIB};
    static const unsigned cpus[CPUS] = {1, 2, 4, 64};
    static const uint32_t needs[NEEDS] = {0, DJ_CAN_TAGS, DJ_CAN_WEIGHTS, DJ_CAN_EXACT | DJ_CAN_TIMES};
    static const char *const names[NAMES] = {NULL, "fast", "tree", "gpu"};
    static const uint64_t threads[THREADS] = {0, 1, 2, 64};
    situation s = {.file_bytes = lengths[digit(&number, LENGTHS)],
                   .cpus = cpus[digit(&number, CPUS)],
                   .needs = needs[digit(&number, NEEDS)],
                   .name = names[digit(&number, NAMES)],
                   .blocks = (enum shape)digit(&number, 3),
                   .device = digit(&number, 2),
                   .summarize = digit(&number, 2),
                   .while_it_runs = digit(&number, 2)};
    size_t asked = digit(&number, THREADS);
    s.threads = s.name ? 0 : threads[asked];
    s.needs |= s.summarize ? DJ_CAN_SUMMARY : 0;
    return s;
}

static void all_combinations(void **state)
{
    (void)state;
    size_t all = (size_t)LENGTHS * CPUS * NEEDS * NAMES * 3 * 2 * 2 * 2 * THREADS;
    for (size_t i = 0; i < all; i++) {
        situation s = combine(i);
        dj_engine_choice choice;
        assert_int_equal(choose(&s, &choice), DJ_OK);
        if (strcmp(choice.engine->name, expect(&s)) != 0)
            fail_msg("combination %zu: %s, not %s", i, choice.engine->name, expect(&s));
    }
}

static void threads_beside_the_engine(void **state)
{
    (void)state;
    static const struct {
        situation s;
        unsigned observers, readers;
    } table[] = {
        {{.cpus = 1}, 0, 0},
        {{.cpus = 2}, 1, 0},
        {{.cpus = 64}, 1, 0},
        {{.cpus = 2, .name = "parallel"}, 1, 0},
        {{.cpus = 16, .name = "parallel"}, 4, 0},
        {{.cpus = 64, .name = "parallel"}, 8, 0},
        {{.cpus = 64, .threads = 12}, 3, 0},
        {{.cpus = 1, .name = "gpu"}, 0, 0},
        {{.cpus = 2, .name = "gpu"}, 1, 1},
        {{.cpus = 16, .name = "gpu"}, 4, 4},
        {{.cpus = 64, .name = "gpu"}, 8, 4},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        dj_engine_choice choice;
        assert_int_equal(choose(&table[i].s, &choice), DJ_OK);
        assert_int_equal(choice.observer_threads, table[i].observers);
        assert_int_equal(choice.reading_threads, table[i].readers);
    }
}

static void preferred_but_not_named(void **state)
{
    (void)state;
    dj_engine_preference preference = dj_engine_prefer("shadow");
    dj_engine_task task = {.blocks = sizes[ONE], .block_count = 1, .file_bytes = 4096 * MIB, .cpus = 4};
    assert_string_equal(dj_engine_choose(&preference, &task).engine->name, "shadow");
    task.needs = DJ_CAN_WEIGHTS;
    assert_string_equal(dj_engine_choose(&preference, &task).engine->name, "tree");
    preference = dj_engine_prefer("no such engine");
    assert_string_equal(preference.engine->name, "fast");
    assert_string_equal(dj_engine_first(0)->name, "fast");
    assert_string_equal(dj_engine_first(DJ_CAN_WEIGHTS | DJ_CAN_SUMMARY)->name, "tree");
    assert_null(dj_engine_first(1u << 31));
}

// An option of engine scale selects it as its name does: it is used or refused, never replaced.
static void selected_by_an_option(void **state)
{
    (void)state;
    void **options = make_options(0);
    const dj_engine_task task = {.needs = DJ_CAN_EXACT,
                                 .blocks = sizes[DOUBLING],
                                 .block_count = 3,
                                 .file_bytes = 4096 * MIB,
                                 .cpus = 4};
    dj_engine_preference preference;
    size_t scale = 0;
    while (strcmp(dj_engine_get(scale)->name, "scale") != 0)
        scale++;
    assert_null(dj_engine_option_given(options));
    *(double *)options[scale] = 0.001; // its only option
    assert_string_equal(dj_engine_option_given(options), "error");
    assert_int_equal(dj_engine_preference_make(context, NULL, options, &preference), DJ_OK);
    dj_engine_choice choice = dj_engine_choose(&preference, &task);
    assert_string_equal(choice.engine->name, "scale");
    assert_ptr_equal(choice.options, options[scale]);
    assert_int_equal(dj_engine_preference_make(context, "auto", options, &preference), DJ_OK);
    assert_string_equal(preference.engine->name, "scale");
    assert_int_equal(dj_engine_preference_make(context, "tree", options, &preference), DJ_ERR_USAGE);
    assert_non_null(strstr(dj_context_message(context), "--error is an option of engine scale"));
    free_options(options);
}

static void the_help_says_the_thresholds(void **state)
{
    (void)state;
    char *help = dj_engine_help();
    char text[64];
    snprintf(text, sizeof text, "parallel for files of %d MiB", DJ_LONG_BYTES >> 20);
    assert_non_null(strstr(help, text));
    snprintf(text, sizeof text, "gpu for files of %d MiB", DJ_DEVICE_BYTES >> 20);
    assert_non_null(strstr(help, text));
    assert_non_null(strstr(help, "or scale if you use --error"));
    assert_non_null(strstr(help, "(default auto). With auto the engine is fast,"));
    free(help);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(situations),
        cmocka_unit_test(all_combinations),
        cmocka_unit_test(threads_beside_the_engine),
        cmocka_unit_test(preferred_but_not_named),
        cmocka_unit_test(selected_by_an_option),
        cmocka_unit_test(the_help_says_the_thresholds),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
