// SPDX-License-Identifier: MIT
#include "cli/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/children.h"

// Global, since signal handlers have no other access to them.
static dj_context *volatile stopped_context;
static const char *volatile unfinished_path;
static volatile sig_atomic_t shared_program; // 0: none
static volatile sig_atomic_t shared_left;    // signals that still go to the program only
static atomic_bool *toggled;

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGPIPE, SIGXFSZ, SIGCHLD};
enum { NUMBERS = sizeof numbers / sizeof *numbers };
static struct sigaction before[NUMBERS]; // when Deja was started

static bool leave_to_program(int number, const siginfo_t *info)
{
    if (shared_program <= 0)
        return false;
    if (info->si_code <= 0 && info->si_pid != shared_program)
        kill(shared_program, number);
    return shared_left-- > 0;
}

static void on_signal(int number, siginfo_t *info, void *machine)
{
    (void)machine;
    int error = errno;
    bool handled = leave_to_program(number, info);
    if (!handled && !dj_context_stopped(stopped_context)) {
        dj_context_stop(stopped_context);
        handled = true;
    }
    errno = error;
    if (handled)
        return;
    if (unfinished_path)
        unlink(unfinished_path);
    dj_children_kill();
    signal(number, SIG_DFL);
    raise(number);
}

static void on_toggle(int number)
{
    (void)number;
    atomic_store(toggled, !atomic_load(toggled)); // no other writer
}

static void catch_signal(int number)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    // No SA_RESTART: a read that blocks on a silent pipe must return, or Ctrl-C would
    // have no effect. Readers get EINTR and check dj_context_stopped.
    sigaction(number, &action, NULL);
}

void dj_interrupt_install(dj_context *context)
{
    stopped_context = context;
    for (int i = 0; i < NUMBERS; i++)
        sigaction(numbers[i], NULL, &before[i]);
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
    signal(SIGPIPE, SIG_IGN); // the write fails instead, and is reported
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGCHLD, SIG_DFL); // if it were ignored, the end of a process could not be learned
}

void dj_interrupt_pass(dj_context *context)
{
    stopped_context = context;
}

void dj_interrupt_unlink(const char *path)
{
    unfinished_path = path;
}

void dj_interrupt_share(pid_t program)
{
    shared_left = 1;
    shared_program = program;
    // Under nohup the program ignores them, and so does Deja.
    for (int i = 0; program && i < NUMBERS; i++)
        if ((numbers[i] == SIGHUP || numbers[i] == SIGQUIT) && before[i].sa_handler != SIG_IGN)
            catch_signal(numbers[i]);
}

void dj_interrupt_toggle(atomic_bool *flag)
{
    toggled = flag;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_toggle;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR1, &action, NULL);
}

void dj_interrupt_restore(void)
{
    for (int i = 0; i < NUMBERS; i++)
        sigaction(numbers[i], &before[i], NULL);
}
