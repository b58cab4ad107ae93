// SPDX-License-Identifier: MIT
// deja info --json prints valid JSON and lists every registered format and engine.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <deja/engine.h>
#include <deja/source.h>
#include <jansson.h>
#include <string.h>
#include <unistd.h>

#include "base/option/option.h"
#include "cli/command.h"
#include "support/context.h"

// Runs `deja info --json -o FILE TOPIC` and reads the file.
static json_t *info(const char *topic)
{
    char path[] = "/tmp/deja-info-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    const dj_command *command = dj_command_find("info");
    char *args[] = {"--json", "-o", path};
    const char *rest[3];
    size_t rest_count = 0;
    dj_groups groups = {0};
    void *values = NULL;
    assert_int_equal(dj_groups_own(context, &groups, command->options_bytes, &values), DJ_OK);
    assert_int_equal(command->list_options(context, values, &groups), DJ_OK);
    assert_int_equal(dj_option_parse(context, groups.list, groups.count, 3, args, rest, &rest_count), DJ_OK);
    dj_arguments arguments = {.items = &topic, .count = topic ? 1 : 0, .command_line = "deja info"};
    assert_int_equal(command->run(context, values, &arguments), DJ_OK);
    dj_groups_free(&groups);
    json_error_t error;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        fail_msg("line %d: %s", error.line, error.text);
    unlink(path);
    return root;
}

static void lists_every_format(void **state)
{
    (void)state;
    json_t *root = info(NULL);
    json_t *formats = json_object_get(root, "formats");
    assert_int_equal(json_array_size(formats), dj_format_count());
    for (size_t i = 0; i < dj_format_count(); i++) {
        dj_format_info format;
        assert_int_equal(dj_format_get(i, &format), DJ_OK);
        assert_string_equal(json_string_value(json_object_get(json_array_get(formats, i), "name")),
                            format.name);
    }
    json_decref(root);
}

static void lists_every_engine(void **state)
{
    (void)state;
    json_t *root = info("engines");
    json_t *engines = json_object_get(root, "engines");
    assert_int_equal(json_array_size(engines), dj_engine_count());
    for (size_t i = 0; i < dj_engine_count(); i++) {
        json_t *row = json_array_get(engines, i);
        assert_string_equal(json_string_value(json_object_get(row, "name")), dj_engine_get(i)->name);
        assert_int_equal(json_is_true(json_object_get(row, "default")), i == 0);
        const char *name = dj_engine_get(i)->name;
        bool is_for_long = strcmp(name, "parallel") == 0 || strcmp(name, "gpu") == 0;
        assert_int_equal(json_is_true(json_object_get(row, "for_long_traces")), is_for_long);
        assert_int_equal(json_is_true(json_object_get(row, "needs_gpu")), strstr(name, "gpu") != NULL);
        size_t bits = (size_t)__builtin_popcount(dj_engine_get(i)->can);
        assert_int_equal(json_array_size(json_object_get(row, "can")), bits);
    }
    assert_null(json_object_get(root, "formats"));
    assert_null(json_object_get(root, "machine"));
    json_decref(root);
}

static void describes_the_machine(void **state)
{
    (void)state;
    json_t *root = info("machine");
    json_t *machine = json_object_get(root, "machine");
    assert_true(json_integer_value(json_object_get(machine, "cpus")) >= 1);
    assert_true(json_integer_value(json_object_get(machine, "memory_bytes")) > 1 << 20);
    assert_true(json_is_array(json_object_get(machine, "caches")));
    json_t *gpu = json_object_get(machine, "gpu");
    bool is_there = json_is_true(json_object_get(gpu, "found"));
    assert_int_equal(json_is_string(json_object_get(gpu, "built_for")),
                     json_is_true(json_object_get(gpu, "built")));
    assert_int_equal(is_there, json_is_string(json_object_get(gpu, "name")));
    if (!is_there)
        assert_true(json_string_length(json_object_get(gpu, "why")) > 0);
    json_decref(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_every_format),
        cmocka_unit_test(lists_every_engine),
        cmocka_unit_test(describes_the_machine),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
