// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/machine.h"
#include "support/context.h"

static char root[64];

static void put(unsigned index, const char *name, const char *text)
{
    char path[160];
    snprintf(path, sizeof path, "%s/index%u", root, index);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/index%u/%s", root, index, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%s\n", text);
    fclose(file);
}

static void put_cache(unsigned index, const char *level, const char *type, const char *size, const char *cpus)
{
    put(index, "level", level);
    put(index, "type", type);
    put(index, "size", size);
    put(index, "coherency_line_size", "64");
    put(index, "ways_of_associativity", "8");
    put(index, "shared_cpu_list", cpus);
}

static int make_root(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "/tmp/deja-machine-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command);
}

static void caches_are_read_and_ordered(void **state)
{
    (void)state;
    put_cache(0, "3", "Unified", "32M", "0-3,8-9");
    put_cache(1, "1", "Instruction", "32K", "0");
    put_cache(2, "1", "Data", "48K", "0,4");
    put_cache(3, "2", "Unified", "1280K", "0");
    dj_cache caches[DJ_CACHES_MAX];
    size_t count;
    assert_int_equal(dj_machine_caches(context, root, caches, &count), DJ_OK);
    assert_int_equal(count, 4);
    const uint64_t bytes[] = {48 << 10, 32 << 10, 1280 << 10, 32 << 20};
    const char *const names[] = {"L1d", "L1i", "L2", "L3"};
    const unsigned cpus[] = {2, 1, 1, 6};
    for (size_t i = 0; i < 4; i++) {
        char name[16];
        dj_cache_name(&caches[i], name);
        assert_string_equal(name, names[i]);
        assert_int_equal(caches[i].bytes, bytes[i]);
        assert_int_equal(caches[i].cpus, cpus[i]);
        assert_int_equal(caches[i].line_bytes, 64);
        assert_int_equal(caches[i].ways, 8);
    }
}

static void invalid_caches_are_ignored(void **state)
{
    (void)state;
    put_cache(0, "1", "Data", "many", "0");
    put_cache(1, "x", "Data", "32K", "0");
    put_cache(2, "2", "Unified", "1M", "zero-to-one");
    dj_cache caches[DJ_CACHES_MAX];
    size_t count;
    assert_int_equal(dj_machine_caches(context, root, caches, &count), DJ_OK);
    assert_int_equal(count, 1);
    assert_int_equal(caches[0].level, 2);
    assert_int_equal(caches[0].cpus, 0);
}

static void an_empty_folder_has_no_caches(void **state)
{
    (void)state;
    dj_cache caches[DJ_CACHES_MAX];
    size_t count;
    assert_int_equal(dj_machine_caches(context, root, caches, &count), DJ_OK);
    assert_int_equal(count, 0);
}

static void test_usable_memory(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); // sanitizers reserve terabytes of address space and cannot run under a limit
#endif
    struct rlimit before, less;
    uint64_t usable = dj_machine_usable_bytes();
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    assert_in_range(usable, 1 << 20, dj_machine_memory_bytes());
    less = before;
    less.rlim_cur = usable - 12345;
    assert_int_equal(setrlimit(RLIMIT_AS, &less), 0);
    assert_int_equal(dj_machine_usable_bytes(), usable - 12345);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(caches_are_read_and_ordered, make_root, remove_root),
        cmocka_unit_test_setup_teardown(invalid_caches_are_ignored, make_root, remove_root),
        cmocka_unit_test_setup_teardown(an_empty_folder_has_no_caches, make_root, remove_root),
        cmocka_unit_test(test_usable_memory),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
