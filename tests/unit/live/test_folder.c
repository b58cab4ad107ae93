// SPDX-License-Identifier: MIT
// A session removes its own folder, and the folders of sessions that were killed. It removes nothing else.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/folder.h"
#include "support/context.h"

static char base[64];

static int set_up(void **state)
{
    snprintf(base, sizeof base, "/tmp/deja-test-XXXXXX");
    if (!mkdtemp(base) || setenv("XDG_RUNTIME_DIR", base, 1) != 0)
        return -1;
    return make_context(state);
}

static int tear_down(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", base);
    return system(command) | drop_context(state);
}

static char *path_of(const char *format, ...)
{
    static char paths[4][512];
    static int next;
    char *path = paths[next++ % 4];
    va_list arguments;
    int length = snprintf(path, sizeof paths[0], "%s/", base);
    va_start(arguments, format);
    vsnprintf(path + length, sizeof paths[0] - (size_t)length, format, arguments);
    va_end(arguments);
    return path;
}

static void put(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
}

static bool exists(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0;
}

static void run_session(void)
{
    dj_folder folder;
    assert_int_equal(dj_folder_create(&folder, context), DJ_OK);
    assert_true(exists(folder.path));
    char path[256];
    snprintf(path, sizeof path, "%s", folder.path);
    dj_folder_remove(&folder);
    assert_false(exists(path));
}

// Leaves the folder of a session that was killed; returns its name within the base.
static const char *abandon(void)
{
    static char name[64];
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dj_folder folder;
        if (dj_folder_create(&folder, context) != DJ_OK ||
            write(pipes[1], strrchr(folder.path, '/') + 1, 17) != 17)
            _exit(1);
        _exit(0);
    }
    memset(name, 0, sizeof name);
    assert_int_equal(read(pipes[0], name, 17), 17);
    assert_int_equal(waitpid(child, NULL, 0), child);
    close(pipes[0]), close(pipes[1]);
    assert_true(exists(path_of("%s", name)));
    return name;
}

static void the_folder_of_a_killed_session_is_removed(void **state)
{
    (void)state;
    static const char *const names[] = {"ring.12.0",  ".ring.12.1",    "log.12",        "untraced.12.28",
                                        "profile.12", "profile.first", "profile.12.new"};
    const char *name = abandon();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        put(path_of("%s/%s", name, names[i]));
    run_session();
    assert_false(exists(path_of("%s", name)));
}

static void a_folder_of_the_user_stays(void **state)
{
    (void)state;
    assert_int_equal(mkdir(path_of("deja-rings-mine"), 0700), 0);
    put(path_of("deja-rings-mine/ring.1.0"));
    put(path_of("deja-rings-mine/thesis.tex"));
    assert_int_equal(mkdir(path_of("deja-rings-empty"), 0700), 0);
    put(path_of("deja-rings-file"));
    run_session();
    assert_true(exists(path_of("deja-rings-mine/ring.1.0")));
    assert_true(exists(path_of("deja-rings-mine/thesis.tex")));
    assert_true(exists(path_of("deja-rings-empty")));
    assert_true(exists(path_of("deja-rings-file")));
}

static void other_files_in_an_abandoned_folder_stay(void **state)
{
    (void)state;
    static const char *const names[] = {"thesis.tex", "ring.txt", "profile.12.json", "ringing", "log.old"};
    const char *name = abandon();
    put(path_of("%s/ring.12.0", name));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        put(path_of("%s/%s", name, names[i]));
    assert_int_equal(mkdir(path_of("%s/ring.13.0", name), 0700), 0);
    put(path_of("%s/ring.13.0/ring.1.0", name));
    run_session();
    assert_false(exists(path_of("%s/ring.12.0", name)));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_true(exists(path_of("%s/%s", name, names[i])));
    assert_true(exists(path_of("%s/ring.13.0/ring.1.0", name)));
    // The next session still knows whose folder it is.
    assert_int_equal(unlink(path_of("%s/ring.13.0/ring.1.0", name)), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(unlink(path_of("%s/%s", name, names[i])), 0);
    run_session();
    assert_false(exists(path_of("%s", name)));
}

// The folder, or the mark in it, is a link to a real one.
static void links_are_not_followed(void **state)
{
    (void)state;
    char kept[512];
    const char *name = abandon();
    snprintf(kept, sizeof kept, "%s", path_of("kept"));
    assert_int_equal(rename(path_of("%s", name), kept), 0);
    put(path_of("kept/ring.1.0"));
    assert_int_equal(symlink(kept, path_of("deja-rings-link")), 0);
    assert_int_equal(mkdir(path_of("deja-rings-mark"), 0700), 0);
    assert_int_equal(symlink(path_of("kept/.deja-session"), path_of("deja-rings-mark/.deja-session")), 0);
    put(path_of("deja-rings-mark/ring.1.0"));
    run_session();
    assert_true(exists(path_of("kept/ring.1.0")));
    assert_true(exists(path_of("deja-rings-link")));
    assert_true(exists(path_of("deja-rings-mark/ring.1.0")));
    // And a ring that is a link is removed, but not what it leads to.
    name = abandon();
    put(path_of("precious"));
    assert_int_equal(symlink(path_of("precious"), path_of("%s/ring.2.0", name)), 0);
    run_session();
    assert_false(exists(path_of("%s", name)));
    assert_true(exists(path_of("precious")));
}

static void a_folder_that_others_can_enter_stays(void **state)
{
    (void)state;
    const char *name = abandon();
    assert_int_equal(chmod(path_of("%s", name), 0755), 0);
    run_session();
    assert_true(exists(path_of("%s/.deja-session", name)));
}

static void a_folder_of_another_user_stays(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip(); // only root can give files away
    const char *name = abandon();
    assert_int_equal(chown(path_of("%s", name), 12345, 12345), 0);
    run_session();
    assert_true(exists(path_of("%s/.deja-session", name)));
    assert_int_equal(chown(path_of("%s", name), 0, 0), 0);
    assert_int_equal(chown(path_of("%s/.deja-session", name), 12345, 12345), 0);
    run_session();
    assert_true(exists(path_of("%s/.deja-session", name)));
}

// Many sessions begin and end at once, some of them killed.
static void sessions_at_the_same_time_keep_their_folders(void **state)
{
    (void)state;
    enum { PROCESSES = 8, SESSIONS = 50 };
    for (int p = 0; p < PROCESSES; p++) {
        pid_t child = fork();
        assert_true(child >= 0);
        for (int i = 0; child == 0 && i < SESSIONS; i++) {
            dj_folder folder;
            char path[300];
            if (dj_folder_create(&folder, context) != DJ_OK)
                _exit(1);
            snprintf(path, sizeof path, "%s/ring.1.0", folder.path);
            int fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
            usleep(200);
            if (fd < 0 || close(fd) != 0 || access(path, F_OK) != 0)
                _exit(2);
            if (i % 10 == 9)
                close(folder.lock); // as the kernel does for a killed one
            else
                dj_folder_remove(&folder);
        }
        if (child == 0)
            _exit(0);
    }
    for (int p = 0; p < PROCESSES; p++) {
        int status;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    run_session();
    assert_int_equal(rmdir(base), 0); // nothing is left
    assert_int_equal(mkdir(base, 0700), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(the_folder_of_a_killed_session_is_removed),    TEST(a_folder_of_the_user_stays),
        TEST(other_files_in_an_abandoned_folder_stay),      TEST(links_are_not_followed),
        TEST(a_folder_that_others_can_enter_stays),         TEST(a_folder_of_another_user_stays),
        TEST(sessions_at_the_same_time_keep_their_folders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
