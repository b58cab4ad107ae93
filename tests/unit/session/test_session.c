// SPDX-License-Identifier: MIT
// Sessions from C: programs that are run under Valgrind, measured, recorded and refused. tests/live and
// tests/native cover programs of all kinds.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <deja/deja.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/context.h"

// A child that the shell forks and one that it execs.
static const char *const family[] = {"/bin/sh", "-c", "/bin/true; exec /bin/false", NULL};
enum { FAMILY = 3 };

static char events[64];
static char last_note[512];

static void started(void *user, int process)
{
    assert_ptr_equal(user, events);
    assert_true(process > 0);
    strcat(events, "started ");
}

static void ended(void *user)
{
    (void)user;
    strcat(events, "ended ");
}

static void note(void *user, const dj_session_note *given)
{
    (void)user;
    snprintf(last_note, sizeof last_note, "%d %s", given->fault, given->text);
}

static dj_session_options family_options(void)
{
    events[0] = 0;
    return (dj_session_options){.arguments = family,
                                .argument_count = FAMILY,
                                .hooks = {.started = started, .ended = ended, .note = note, .user = events}};
}

static void measures_each_process(void **state)
{
    (void)state;
    dj_session_options options = family_options();
    const dj_request request = {.command = "a test"};
    dj_session *session = NULL;
    int status = -1;
    assert_int_equal(dj_session_run(context, &options, &request, &session, &status), DJ_OK);
    assert_int_equal(status, 1);
    assert_string_equal(events, "started ended ");
    assert_true(dj_session_count(session) >= 3);
    assert_int_equal(dj_session_main(session), 1); // the shell, false, the forked child
    dj_process shell = dj_session_get(session, 0), last = dj_session_get(session, 1);
    dj_process child = dj_session_get(session, dj_session_count(session) - 1);
    assert_true(shell.root && last.root && !child.root);
    assert_int_equal(shell.pid, last.pid);
    assert_int_equal(shell.image, 0);
    assert_int_equal(last.image, 1);
    assert_int_equal(child.parent, shell.pid);
    assert_string_equal(last.command, "/bin/false");
    assert_string_equal(child.command, "/bin/true");
    assert_int_equal(last.status, 1 << 8);
    assert_int_equal(child.status, 0);
    assert_true(shell.measured && last.measured && child.measured);
    assert_non_null(last.profile);
    assert_null(shell.profile); // only counts
    assert_null(child.profile);
    assert_true(child.accesses > child.distinct && child.distinct > 0 && child.mean > 0);
    assert_int_equal(last.accesses, last.profile->accesses);
    assert_string_equal(last.profile->provenance.inputs[0], "/bin/false");
    assert_string_equal(last.profile->provenance.command, "a test");
    assert_int_equal(dj_session_check(context, session), DJ_OK);
    dj_profile *profile = NULL;
    assert_int_equal(dj_session_load(context, session, 2, &profile), DJ_ERR_USAGE);
    assert_int_equal(dj_session_load(context, session, SIZE_MAX, &profile), DJ_ERR_USAGE);
    dj_session_destroy(session);
}

// Every profile matches the JSON and the counts.
static void keeps_whole_profiles(void **state)
{
    (void)state;
    dj_session_options options = family_options();
    dj_session *session = NULL;
    options.keep = DJ_KEEP_PROFILES;
    const dj_request request = {.places = true};
    assert_int_equal(dj_session_run(context, &options, &request, &session, NULL), DJ_OK);
    FILE *file = tmpfile();
    assert_int_equal(dj_session_save(context, session, file), DJ_OK);
    size_t main = dj_session_main(session), nth = 0;
    for (size_t i = 0; i < dj_session_count(session); i++) {
        dj_process process = dj_session_get(session, i);
        dj_profile *kept = NULL, *saved = NULL;
        assert_int_equal(dj_session_load(context, session, i, &kept), DJ_OK);
        assert_int_equal(kept->accesses, process.accesses);
        assert_int_equal(kept->lanes[0].distinct, process.distinct);
        assert_non_null(dj_profile_attribution(kept));
        rewind(file);
        assert_int_equal(dj_profile_load_process(context, file, "saved", i == main ? 0 : ++nth, &saved),
                         DJ_OK);
        assert_int_equal(saved->accesses, process.accesses);
        assert_string_equal(saved->provenance.inputs[0], process.command);
        dj_profile_destroy(kept);
        dj_profile_destroy(saved);
    }
    fclose(file);
    dj_session_destroy(session);
}

static void leaves_children_out(void **state)
{
    (void)state;
    dj_session_options options = family_options();
    dj_session *session = NULL;
    options.leave_children = true;
    assert_int_equal(dj_session_run(context, &options, &(dj_request){0}, &session, NULL), DJ_OK);
    for (size_t i = 0; i < dj_session_count(session); i++)
        assert_true(dj_session_get(session, i).root);
    dj_session_destroy(session);
}

static bool always(void *user)
{
    (void)user;
    return true;
}

static void pauses(void **state)
{
    (void)state;
    static const char *const arguments[] = {"true"};
    const dj_session_options options = {
        .arguments = arguments, .argument_count = 1, .hooks = {.is_paused = always}};
    dj_session *session = NULL;
    int status = -1;
    assert_int_equal(dj_session_run(context, &options, &(dj_request){0}, &session, &status), DJ_OK);
    assert_int_equal(status, 0);
    assert_false(dj_session_get(session, 0).measured);
    assert_int_equal(dj_session_check(context, session), DJ_OK); // nothing to count is not an error
    dj_session_destroy(session);
}

static void records(void **state)
{
    (void)state;
    char folder[] = "/tmp/deja-session-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out.deja", folder);
    dj_session_options options = family_options();
    const dj_recording recording = {.path = path, .command = "a test"};
    dj_session *session = NULL;
    int status = -1;
    assert_int_equal(dj_session_record(context, &options, &recording, &session, &status), DJ_OK);
    assert_int_equal(status, 1);
    assert_true(dj_session_count(session) >= 3);
    for (size_t i = 0; i < dj_session_count(session); i++) {
        dj_process process = dj_session_get(session, i);
        char named[96];
        if (i == 0)
            snprintf(named, sizeof named, "%s/out.deja", folder);
        else if (process.image == 0)
            snprintf(named, sizeof named, "%s/out.%u.deja", folder, process.pid);
        else
            snprintf(named, sizeof named, "%s/out.%u-%u.deja", folder, process.pid, process.image);
        assert_string_equal(process.trace, named);
        dj_profile *profile = NULL;
        const char *const paths[] = {process.trace};
        assert_int_equal(dj_measure_files(context, paths, 1, NULL, &(dj_request){0}, &profile), DJ_OK);
        assert_int_equal(profile->accesses, process.recorded.accesses);
        dj_profile_destroy(profile);
        unlink(process.trace);
    }
    dj_session_destroy(session);
    rmdir(folder);
    assert_int_equal(dj_session_record(context, &options, &recording, &session, &status), DJ_ERR_IO);
    assert_int_equal(status, 125);
}

static void *stop(void *user)
{
    usleep(300000);
    dj_context_stop(user);
    return NULL;
}

static void stops(void **state)
{
    (void)state;
    static const char *const arguments[] = {"sleep", "5"};
    const dj_session_options options = {.arguments = arguments, .argument_count = 2};
    dj_context *own = NULL;
    dj_session *session = NULL;
    pthread_t thread;
    int status = -1;
    assert_int_equal(dj_context_create(&own), DJ_OK);
    assert_int_equal(pthread_create(&thread, NULL, stop, own), 0);
    assert_int_equal(dj_session_run(own, &options, &(dj_request){0}, &session, &status), DJ_OK);
    pthread_join(thread, NULL);
    assert_int_equal(status, 130);
    dj_session_destroy(session);
    dj_context_destroy(own);
}

static void refuse(const char *program, const dj_request *request, int err, int status)
{
    const char *const arguments[] = {program};
    const dj_session_options options = {.arguments = arguments, .argument_count = program != NULL};
    dj_session *session = NULL;
    int got = -1;
    assert_int_equal(dj_session_run(context, &options, request, &session, &got), err);
    assert_int_equal(got, status);
    assert_null(session);
}

static void refusals(void **state)
{
    (void)state;
    const dj_request plain = {0}, wrong = {.engine = "warp"}, cannot = {.engine = "hprda", .places = true};
    refuse(NULL, &plain, DJ_ERR_USAGE, 125);
    refuse("/no/such/program", &plain, DJ_ERR_USAGE, 127);
    refuse("/etc/passwd", &plain, DJ_ERR_USAGE, 126);
    refuse("true", &wrong, DJ_ERR_USAGE, 125);
    refuse("true", &cannot, DJ_ERR_UNSUPPORTED, 125); // before it runs
}

// Without Valgrind or its tool, only what needs neither can be tested.
static bool can_trace(void)
{
    static const char *const arguments[] = {"true"};
    const dj_session_options options = {.arguments = arguments, .argument_count = 1};
    dj_session *session = NULL;
    int err = dj_session_run(context, &options, &(dj_request){0}, &session, NULL);
    if (err)
        print_message("not traced: %s\n", dj_context_message(context));
    dj_session_destroy(session);
    return !err;
}

int main(void)
{
    const struct CMUnitTest always_run[] = {cmocka_unit_test(refusals)};
    const struct CMUnitTest traced[] = {
        cmocka_unit_test(measures_each_process),
        cmocka_unit_test(keeps_whole_profiles),
        cmocka_unit_test(leaves_children_out),
        cmocka_unit_test(pauses),
        cmocka_unit_test(records),
        cmocka_unit_test(stops),
    };
    if (make_context(NULL) != 0)
        return 1;
    int failed = cmocka_run_group_tests(always_run, NULL, NULL);
    bool can = can_trace();
    if (can)
        failed += cmocka_run_group_tests(traced, NULL, NULL);
    drop_context(NULL);
    return failed || can ? failed : 77;
}
