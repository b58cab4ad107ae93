// SPDX-License-Identifier: MIT
// Memory of files that are truncated while it is read.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/guard.h"

enum { PAGES = 4 };

typedef struct mapped {
    int fd;
    size_t bytes;
    char *memory;
} mapped;

static mapped map_new(void)
{
    char path[] = "/tmp/deja-guard-XXXXXX";
    mapped m = {.fd = mkstemp(path), .bytes = PAGES * (size_t)sysconf(_SC_PAGESIZE)};
    assert_true(m.fd >= 0);
    unlink(path);
    assert_int_equal(ftruncate(m.fd, (off_t)m.bytes), 0);
    m.memory = mmap(NULL, m.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, m.fd, 0);
    assert_true(m.memory != MAP_FAILED);
    memset(m.memory, 'x', m.bytes);
    return m;
}

static void unmap(mapped *m)
{
    munmap(m->memory, m->bytes);
    close(m->fd);
}

static void reads_zeros_after_truncation(void **state)
{
    (void)state;
    dj_guard guard;
    mapped m = map_new();
    char *copy = malloc(m.bytes);
    assert_non_null(copy);
    assert_true(dj_guard_open(&guard, m.memory, m.bytes));
    dj_guard_enter(&guard);
    memcpy(copy, m.memory, m.bytes);
    dj_guard_leave();
    assert_false(guard.lost);
    assert_int_equal(copy[m.bytes - 1], 'x');

    assert_int_equal(ftruncate(m.fd, (off_t)(m.bytes / PAGES)), 0);
    dj_guard_enter(&guard);
    memcpy(copy, m.memory, m.bytes);
    m.memory[m.bytes - 1] = 'y';
    dj_guard_leave();
    assert_true(guard.lost);
    assert_int_equal(copy[m.bytes - 1], 0);
    assert_int_equal(lseek(m.fd, 0, SEEK_END), m.bytes / PAGES);
    dj_guard_close(&guard);
    unmap(&m);
    free(copy);
}

static void *copy_last(void *argument)
{
    dj_guard *guard = argument;
    dj_guard_enter(guard);
    const volatile char *memory = guard->memory;
    char last = memory[guard->bytes - 1];
    dj_guard_leave();
    return last == 0 && guard->lost ? guard : NULL;
}

static void guards_of_threads_are_separate(void **state)
{
    (void)state;
    enum { THREADS = 8 };
    dj_guard guards[THREADS];
    mapped files[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        files[i] = map_new();
        assert_true(dj_guard_open(&guards[i], files[i].memory, files[i].bytes));
        assert_int_equal(ftruncate(files[i].fd, 0), 0);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, copy_last, &guards[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        void *result;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_ptr_equal(result, &guards[i]);
        dj_guard_close(&guards[i]);
        unmap(&files[i]);
    }
}

static void own_handler(int number)
{
    (void)number;
    _exit(77);
}

// Status of a process that has a handler or none, opens a guard, and gets SIGBUS in one of three ways.
static int end_by(void (*handler)(int), int way)
{
    pid_t child = fork();
    if (child == 0) {
        dj_guard guard;
        mapped m = map_new(), other = map_new();
        signal(SIGBUS, handler);
        if (!dj_guard_open(&guard, m.memory, m.bytes) || ftruncate(other.fd, 0) != 0)
            _exit(1);
        if (way == 0)
            dj_guard_enter(&guard); // and touches something else
        if (way <= 1)
            other.memory[0] = 1;
        else
            kill(getpid(), SIGBUS);
        _exit(2);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void other_faults_go_to_the_previous_handler(void **state)
{
    (void)state;
    for (int way = 0; way < 3; way++) {
        int status = end_by(own_handler, way);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 77);
        status = end_by(SIG_DFL, way);
        assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) > 2); // a sanitizer reports it and exits
    }
}

static void the_handler_is_restored(void **state)
{
    (void)state;
    dj_guard first, second;
    struct sigaction now;
    mapped m = map_new();
    signal(SIGBUS, own_handler);
    assert_true(dj_guard_open(&first, m.memory, m.bytes));
    assert_true(dj_guard_open(&second, m.memory, m.bytes));
    dj_guard_close(&first);
    sigaction(SIGBUS, NULL, &now);
    assert_true(now.sa_handler != own_handler);
    dj_guard_close(&second);
    sigaction(SIGBUS, NULL, &now);
    assert_true(now.sa_handler == own_handler);
    dj_guard_close(&second);
    signal(SIGBUS, SIG_DFL);
    unmap(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_zeros_after_truncation),
        cmocka_unit_test(guards_of_threads_are_separate),
        cmocka_unit_test(other_faults_go_to_the_previous_handler),
        cmocka_unit_test(the_handler_is_restored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
