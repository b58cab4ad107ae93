// SPDX-License-Identifier: MIT
// The profiles that annotated processes leave in the folder of a session. They can put anything else there.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/profiles.h"
#include "support/context.h"

static void only_regular_files_are_profiles(void **state)
{
    (void)state;
    static const char *const names[] = {"profile.12", "profile.7", "profile.x", "ring.12.0"};
    char folder[] = "/tmp/deja-test-XXXXXX", path[128], command[64];
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fclose(file);
    }
    snprintf(path, sizeof path, "%s/profile.1", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    snprintf(path, sizeof path, "%s/profile.2", folder);
    assert_int_equal(symlink("/etc/passwd", path), 0);
    snprintf(path, sizeof path, "%s/profile.3", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    dj_profile_file *files = NULL;
    size_t count = 0;
    assert_int_equal(dj_profile_files_list(context, folder, 12, &files, &count), DJ_OK);
    assert_int_equal(count, 2);
    assert_int_equal(files[0].pid, 7);
    assert_int_equal(files[1].pid, 12);
    assert_true(files[1].main && !files[0].main);
    free(files);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(only_regular_files_are_profiles, make_context, drop_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
