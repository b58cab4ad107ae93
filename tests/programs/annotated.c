// SPDX-License-Identifier: MIT
// Annotations of all kinds; the first argument selects one.
#include <deja/record.h>

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MEMORY = 400, STEPS = 4000, THREADS = 4, TURNS = 30000 };

static unsigned long state = 1;

static unsigned below(unsigned n)
{
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    return (unsigned)(state >> 33) % n;
}

// Records random annotations and prints each: D base bytes element, P base entry, F base, A base element.
static void at_random(void)
{
    static char memory[MEMORY];
    static const unsigned elements[] = {1, 2, 4, 8, 12};
    for (int i = 0; i < STEPS; i++) {
        unsigned base = below(10) * 16, at = base + below(120), what = below(40);
        if (what == 0) {
            unsigned bytes = 1 + below(MEMORY - base), element = elements[below(5)];
            printf("D %u %u %u\n", base, bytes, element);
            dj_record_data(memory + base, bytes, element, "memory");
        } else if (what == 1) {
            printf("P %u %u\n", base, at);
            dj_record_partial(memory + base, memory + at);
        } else if (what == 2 && below(4) == 0) {
            printf("F %u\n", base);
            dj_record_forget(memory + base);
        } else {
            printf("A %u %u\n", base, at);
            dj_record_access(memory + base, memory + at);
        }
    }
}

static double shared[100];

static void *work(void *argument)
{
    static const char *const names[THREADS] = {"north", "east", "south", "west"};
    int number = (int)(long)argument;
    double *own = malloc(50 * sizeof *own);
    dj_record_data(own, 50 * sizeof *own, sizeof *own, names[number]);
    dj_thread_name(names[number]);
    for (int i = 0; i < TURNS; i++) {
        own[i % 50] = i;
        dj_record_write(own, &own[i % 50]);
        dj_record_read(shared, &shared[i % 100]);
    }
    dj_record_forget(own);
    free(own);
    return NULL;
}

static void with_threads(void)
{
    pthread_t threads[THREADS];
    dj_record_data(shared, sizeof shared, sizeof *shared, "shared");
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static double data[64];
static volatile sig_atomic_t handled;

static void handle(int signal)
{
    (void)signal;
    dj_record_write(data, &data[handled++ % 64]);
}

// A signal handler that records, whatever it interrupts.
static void with_signals(void)
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    unsigned long calls = 0;
    dj_record_data(data, sizeof data, sizeof *data, "data");
    sigaction(SIGALRM, &action, NULL);
    ualarm(200, 200);
    while (handled < 500) {
        dj_record_read(data, &data[calls++ % 64]);
    }
    ualarm(0, 0);
    printf("%lu %d\n", calls, (int)handled);
}

static void with_regions(void)
{
    dj_record_data(data, sizeof data, sizeof *data, "data");
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 10; i++)
            dj_record_read(data, &data[i]);
        dj_region_begin("middle");
        for (int i = 0; i < 20; i++)
            dj_record_write(data, &data[i]);
        dj_region_end("middle");
    }
}

// Statements that access nothing, and one that reads and writes an element.
static void with_statements(unsigned long empty)
{
    dj_record_data(data, sizeof data, sizeof *data, "data");
    dj_record_read(data, data); // in no statement
    for (unsigned long i = 0; i < empty; i++)
        dj_record_statement();
    dj_record_read(data, &data[1]);
    dj_record_read(data, &data[1]);
    dj_record_write(data, &data[1]);
    dj_record_statement();
    dj_record_read(data, &data[1]);
    dj_record_statement();
}

// Records something, becomes a program without annotations and then this one again.
static int with_exec(char **argv)
{
    dj_record_data(data, sizeof data, sizeof *data, "data");
    for (int i = 0; i < STEPS * 100; i++)
        dj_record_read(data, data);
    execlp("sh", "sh", "-c", "exec \"$0\" regions", argv[0], (char *)NULL);
    return 1;
}

static int with_children(void)
{
    int status = 0;
    dj_record_data(data, sizeof data, sizeof *data, "data");
    dj_record_read(data, data);
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 100000; i++)
            dj_record_read(data, data);
        exit(3);
    }
    waitpid(child, &status, 0);
    dj_record_read(data, data);
    return WEXITSTATUS(status);
}

static atomic_int over;

static void *read_on(void *unused)
{
    while (!atomic_load(&over))
        dj_record_read(shared, shared);
    return unused;
}

// Children that record after a fork while a thread of their parent was in the recorder.
static int with_children_beside_threads(void)
{
    int status = 0;
    pthread_t thread;
    dj_record_data(data, sizeof data, sizeof *data, "data");
    dj_record_data(shared, sizeof shared, sizeof *shared, "shared");
    pthread_create(&thread, NULL, read_on, NULL);
    for (int i = 0; i < 50 && status == 0; i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(20);
            dj_record_read(data, data);
            _exit(0);
        }
        waitpid(child, &status, 0);
    }
    atomic_store(&over, 1);
    pthread_join(thread, NULL);
    return status != 0;
}

// Without a number of rounds, it lasts so long that part of it is saved before the end, of which no library
// is notified.
static void with_sudden_end(const char *how, unsigned rounds)
{
    time_t until = time(NULL) + 3;
    dj_record_data(data, sizeof data, sizeof *data, "data");
    if (strcmp(how, "abort at once") == 0)
        abort();
    for (unsigned i = 0; rounds ? i < rounds : time(NULL) < until; i++) {
        for (unsigned k = 0; k < 1000; k++)
            dj_record_read(data, &data[k % 64]);
        if (strcmp(how, "slow") == 0)
            usleep(300000);
    }
    if (strcmp(how, "_exit") == 0)
        _exit(4);
    if (strcmp(how, "quick_exit") == 0)
        quick_exit(5);
    raise(strcmp(how, "term") == 0 ? SIGTERM : SIGKILL);
}

static void *read_once(void *unused)
{
    usleep(100000);
    for (unsigned k = 0; k < 1000; k++)
        dj_record_read(data, &data[k % 64]);
    return unused;
}

// The process ends with its second thread.
static void leave_first(void)
{
    pthread_t thread;
    dj_record_data(data, sizeof data, sizeof *data, "data");
    if (pthread_create(&thread, NULL, read_once, NULL) == 0)
        pthread_exit(NULL);
}

static void *read_until_cancelled(void *unused)
{
    (void)unused;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (unsigned k = 0;; k++)
        dj_record_read(data, &data[k % 64]);
}

static void with_cancelled_threads(void)
{
    dj_record_data(data, sizeof data, sizeof *data, "data");
    for (unsigned i = 0; i < 100; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, read_until_cancelled, NULL) != 0)
            continue;
        usleep(1000);
        pthread_cancel(thread);
        pthread_join(thread, NULL);
    }
}

// As on a kernel without membarrier, or in a container that forbids it.
static int without_barriers(char **argv)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return 77;
    argv[1] = argv[2];
    argv[2] = NULL;
    execv("/proc/self/exe", argv);
    return 1;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    state = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    if (strcmp(what, "random") == 0)
        at_random();
    else if (strcmp(what, "threads") == 0)
        with_threads();
    else if (strcmp(what, "signals") == 0)
        with_signals();
    else if (strcmp(what, "regions") == 0)
        with_regions();
    else if (strcmp(what, "statements") == 0)
        with_statements(state);
    else if (strcmp(what, "exec") == 0)
        return with_exec(argv);
    else if (strcmp(what, "children") == 0)
        return with_children();
    else if (strcmp(what, "children beside threads") == 0)
        return with_children_beside_threads();
    else if (strcmp(what, "leave") == 0)
        leave_first();
    else if (strcmp(what, "cancel") == 0)
        with_cancelled_threads();
    else if (strcmp(what, "without barriers") == 0 && argc > 2)
        return without_barriers(argv);
    else if (strcmp(what, "end") == 0 && argc > 2)
        with_sudden_end(argv[2], argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 0);
    return 0;
}
