// SPDX-License-Identifier: MIT
// The first Ctrl-C requests a stop; the second one kills the program as if the signal had
// no handler, and deletes the unfinished file.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/interrupt.h"

static void raise_in_child(int signal_number, int times, const char *path)
{
    dj_context *context = NULL;
    if (dj_context_create(&context) != DJ_OK)
        _exit(1);
    dj_interrupt_install(context);
    dj_interrupt_unlink(path);
    for (int i = 0; i < times; i++)
        raise(signal_number);
    _exit(dj_context_stopped(context) ? 42 : 43);
}

// Returns the wait status of a child that raises the signal `times` times; *file_left: its file still exists.
static int run_child(int signal_number, int times, bool *file_left)
{
    char path[] = "/tmp/deja-interrupt-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        raise_in_child(signal_number, times, path);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    *file_left = access(path, F_OK) == 0;
    unlink(path);
    return status;
}

static void the_first_signal_requests_a_stop(void **state)
{
    (void)state;
    bool file_left;
    int status = run_child(SIGINT, 0, &file_left);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 43);
    status = run_child(SIGINT, 1, &file_left);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 42);
    assert_true(file_left);
    status = run_child(SIGTERM, 1, &file_left);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 42);
}

static void the_second_signal_kills_and_deletes_the_file(void **state)
{
    (void)state;
    bool file_left;
    int status = run_child(SIGINT, 2, &file_left);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
    assert_false(file_left);
    status = run_child(SIGTERM, 2, &file_left);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    assert_false(file_left);
}

static void a_closed_pipe_is_only_a_write_error(void **state)
{
    (void)state;
    bool file_left;
    int status = run_child(SIGPIPE, 3, &file_left);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 43);
    assert_true(file_left);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_signal_requests_a_stop),
        cmocka_unit_test(the_second_signal_kills_and_deletes_the_file),
        cmocka_unit_test(a_closed_pipe_is_only_a_write_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
