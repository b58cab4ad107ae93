// SPDX-License-Identifier: MIT
// An engine that runs out of memory reports it and can be destroyed. Each runs in a separate process
// that may allocate only a little more memory.
#include <deja/deja.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
// cmocka needs the four above it
#include <cmocka.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { CAN_LIMIT = 0 }; // their shadow memory needs terabytes of address space
#else
enum { CAN_LIMIT = 1 };
#endif

enum { MORE_BYTES = 48 << 20, MOST_PUSHES = 4000 };

static rlim_t bytes_now(void)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%llu", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

// Pushes new keys until the engine fails. Returns 0 if it fails correctly.
static int exhaust(const dj_engine_ops *engine)
{
    static uint64_t keys[DJ_BATCH_CAPACITY], distances[DJ_BATCH_CAPACITY];
    dj_context *context;
    void *state = NULL;
    dj_engine_params params = {.options = engine->default_options};
    const rlim_t most = bytes_now() + MORE_BYTES;
    const struct rlimit limit = {.rlim_cur = most, .rlim_max = most};
    if (dj_context_create(&context) != DJ_OK || setrlimit(RLIMIT_AS, &limit) != 0)
        return 1;
    int err = engine->create(context, &params, &state);
    for (uint64_t push = 0; err == DJ_OK && push < MOST_PUSHES; push++) {
        dj_work work = {.count = DJ_BATCH_CAPACITY, .key = keys, .distance = distances}, *back;
        for (size_t i = 0; i < DJ_BATCH_CAPACITY; i++)
            keys[i] = push * DJ_BATCH_CAPACITY + i;
        err = engine->push(state, context, &work);
        if (err == DJ_OK)
            err = engine->drain(state, context);
        if (err == DJ_OK && (engine->pull(state, context, &back) != DJ_OK || back != &work))
            err = DJ_ERR_INPUT;
    }
    bool said = strstr(dj_context_message(context), "memory") != NULL;
    engine->destroy(state);
    dj_context_destroy(context);
    return err == DJ_ERR_MEMORY && said ? 0 : 2;
}

static void test_out_of_memory_is_an_error(void **state)
{
    (void)state;
    for (size_t e = 0; e < dj_engine_count(); e++) {
        const dj_engine_ops *engine = dj_engine_get(e);
        if (strcmp(engine->name, "stack") == 0 || engine->can & DJ_CAN_BOUNDED || engine->find_device)
            continue; // stack would need an hour for that many keys; device engines may store keys elsewhere
        int status;
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            _exit(exhaust(engine));
        assert_int_equal(waitpid(child, &status, 0), child);
        if (status != 0)
            fprintf(stderr, "engine %s: status %d\n", engine->name, status);
        assert_int_equal(status, 0);
    }
}

int main(void)
{
    if (!CAN_LIMIT)
        return 77; // skipped
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_out_of_memory_is_an_error)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
