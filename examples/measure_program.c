// SPDX-License-Identifier: MIT
// Runs a program, here this one with an argument, and shows which of its data and lines miss a cache.
#include <deja/deja.h>
#include <stdio.h>

enum { ROWS = 1024, COLUMNS = 64 };
double grid[ROWS][COLUMNS];

// Goes down the columns of what lies in memory row by row.
__attribute__((noinline)) double sweep(void)
{
    double sum = 0;
    for (int column = 0; column < COLUMNS; column++)
        for (int row = 0; row < ROWS; row++)
            sum += grid[row][column];
    return sum;
}

static int print_worst(dj_context *context, const dj_attribution *attribution, enum dj_by by)
{
    dj_breakdown *breakdown = NULL;
    int err = dj_breakdown_create(context, attribution, by, &breakdown);
    if (err)
        return err;
    const dj_entity *worst = &breakdown->entities[0]; // those with most misses come first
    if (by == DJ_BY_LINE)
        printf("line %u:", worst->line);
    else
        printf("%s %s:", dj_by_name(by), worst->name);
    printf(" %llu accesses, %llu miss %s\n", (unsigned long long)worst->exclusive.accesses,
           (unsigned long long)worst->misses[0], attribution->cuts[0].name);
    dj_breakdown_destroy(breakdown);
    return DJ_OK;
}

static int measure(dj_context *context, const char *program)
{
    const char *const arguments[] = {program, "sweep"};
    const dj_cache_size caches[] = {{"L1", 32 << 10}};
    const dj_session_options options = {.arguments = arguments, .argument_count = 2};
    const dj_request request = {.places = true, .within = "sweep", .caches = caches, .cache_count = 1};
    dj_session *session = NULL;
    int status = 0;
    int err = dj_session_run(context, &options, &request, &session, &status);
    if (!err)
        err = dj_session_check(context, session);
    for (size_t i = 0; !err && i < dj_session_count(session); i++) {
        dj_process process = dj_session_get(session, i);
        if (!process.profile)
            continue;
        const dj_attribution *attribution = dj_profile_attribution(process.profile);
        printf("status %d, %llu objects\n", status, (unsigned long long)attribution->object_count);
        err = print_worst(context, attribution, DJ_BY_OBJECT);
        if (!err)
            err = print_worst(context, attribution, DJ_BY_LINE);
    }
    dj_session_destroy(session);
    return err;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return sweep() != 0;
    dj_context *context = NULL;
    if (dj_context_create(&context))
        return 1;
    int err = measure(context, argv[0]);
    if (err)
        fprintf(stderr, "%s\n", dj_context_message(context));
    dj_context_destroy(context);
    return err != 0;
}
