// SPDX-License-Identifier: MIT
// Events of the entire process: its start, fork, and its end.
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "core.h"
#include "system.h"
#include "text.h"

bool dj_rt_off;

static dj_rt_target target;
static uint32_t image;

static const char variable[] = "DEJA_RING=", sample[] = "DEJA_SAMPLE=", padding[] = "DEJA_PADDING";

static char **find(const char *name, size_t length)
{
    for (char **at = environ; at && *at; at++) {
        size_t i = 0;
        while (i < length && (*at)[i] == name[i])
            i++;
        if (i == length)
            return at;
    }
    return NULL;
}

static char **find_variable(void)
{
    return find(variable, sizeof variable - 1);
}

// The start of the digits before `end`.
static size_t find_digits(const char *text, size_t end)
{
    while (end && text[end - 1] >= '0' && text[end - 1] <= '9')
        end--;
    return end;
}

// 0 if it is too large for a process id.
static uint32_t to_number(const char *text, size_t begin, size_t end)
{
    uint64_t number = 0;
    for (; begin < end && number <= INT32_MAX; begin++)
        number = number * 10 + (uint64_t)(text[begin] - '0');
    return number <= INT32_MAX ? (uint32_t)number : 0;
}

static bool ends_with(const char *text, size_t length, const char *end)
{
    size_t bytes = dj_rt_length(end);
    for (size_t i = 0; i < bytes; i++)
        if (length < bytes || text[length - bytes + i] != end[i])
            return false;
    return true;
}

// The program that this process ran before an exec leaves ":PID.IMAGE".
static size_t parse_image(const char *text, size_t length)
{
    size_t digits = find_digits(text, length);
    if (digits == length || digits < 2 || text[digits - 1] != '.')
        return length;
    size_t begin = find_digits(text, digits - 1);
    if (begin == digits - 1 || !begin || text[begin - 1] != ':')
        return length;
    if (to_number(text, begin, digits - 1) == dj_rt_pid())
        image = to_number(text, digits, length) + 1;
    return begin - 1;
}

// FOLDER:ANALYZER, and :nofollow or :PID.IMAGE
static bool parse(const char *text)
{
    static const char alone[] = ":nofollow";
    size_t length = dj_rt_length(text);
    target.follow = !ends_with(text, length, alone);
    length = target.follow ? parse_image(text, length) : length - (sizeof alone - 1);
    size_t digits = find_digits(text, length);
    if (digits < 2 || digits == length || text[digits - 1] != ':' || digits > sizeof target.folder)
        return false;
    target.analyzer = to_number(text, digits, length);
    if (!target.analyzer)
        return false;
    for (size_t i = 0; i < digits - 1; i++)
        target.folder[i] = text[i];
    target.folder[digits - 1] = '\0';
    return true;
}

// For programs that this process becomes by exec.
static void leave_image(void)
{
    static char text[sizeof variable + sizeof target.folder + 40];
    char **at = find_variable();
    if (!at)
        return;
    char *end = dj_rt_append(text, variable);
    end = dj_rt_append(end, target.folder);
    end = dj_rt_append_number(dj_rt_append(end, ":"), target.analyzer);
    end = dj_rt_append_number(dj_rt_append(end, ":"), dj_rt_pid());
    dj_rt_append_number(dj_rt_append(end, "."), image);
    *at = text;
}

// For programs that this one executes.
static void remove_variable(char **at)
{
    for (; *at; at++)
        at[0] = at[1];
}

// It served the start of the stack.
static void remove_padding(void)
{
    for (char **at; (at = find(padding, sizeof padding - 1));)
        remove_variable(at);
}

// RATE:SEED or RATE:SEED:BUDGET, see dj_rt_bursts_begin.
static void read_sample(void)
{
    enum { MOST = 3 };
    uint32_t numbers[MOST] = {0};
    unsigned count = 0;
    char **at = find(sample, sizeof sample - 1);
    const char *text = at ? *at + sizeof sample - 1 : "";
    size_t begin = 0, end = 0;
    for (; count < MOST; begin = end + 1) {
        end = begin;
        while (text[end] >= '0' && text[end] <= '9')
            end++;
        if (end == begin)
            return;
        numbers[count++] = to_number(text, begin, end);
        if (text[end] != ':')
            break;
    }
    if (count > 1 && !text[end])
        dj_rt_bursts_begin(numbers[0], numbers[1], numbers[2]);
}

static void send_command(void)
{
    static char text[DJ_RT_FRAME_BYTES - 256];
    size_t length = 0;
    long got = 0;
    int fd = dj_rt_open("/proc/self/cmdline", 0);
    while (fd >= 0 && length < sizeof text - 1 &&
           (got = dj_rt_read(fd, text + length, sizeof text - 1 - length)) > 0)
        length += (size_t)got;
    if (fd >= 0)
        dj_rt_close(fd);
    if (length && !text[length - 1])
        length--;
    text[length] = '\0';
    for (size_t i = 0; i < length; i++)
        if (!text[i])
            text[i] = '\1';
    dj_rt_put_record(DJ_RECORD_PROCESS, 0, NULL, 0, text);
}

uint32_t dj_rt_analyzer(void)
{
    return target.analyzer;
}

static bool open_ring(void)
{
    dj_rt_off = !dj_rt_ring_open(&target, &image);
    if (dj_rt_off)
        return false;
    if (target.follow)
        leave_image();
    dj_rt_depth++;
    dj_rt_threads_begin();
    send_command();
    dj_rt_depth--;
    return true;
}

void dj_rt_before_fork(void)
{
    dj_rt_frames_lock();
}

void dj_rt_after_fork(void)
{
    dj_rt_frames_unlock();
}

// Only the thread that called fork exists in the child; it keeps its number.
void dj_rt_begin_child(void)
{
    dj_rt_writer = &dj_rt_no_writer;
    dj_rt_ring_close();
    dj_rt_frames_forget_lock();
    dj_rt_bursts_begin_child();
    image = 0;
    if (dj_rt_off || !target.follow)
        dj_rt_off = true;
    else if (open_ring())
        dj_rt_modules_send_again();
}

void dj_rt_process_end(int status)
{
    if (!dj_rt_ring || dj_rt_off || dj_rt_critical || dj_rt_ring->pid != dj_rt_pid())
        return;
    dj_rt_bursts_end();
    dj_rt_put_record(DJ_RECORD_END, (uint32_t)(status & 0xff) << 8, NULL, 0, NULL);
    dj_rt_frames_end();
}

static struct {
    int status;
    bool registered, known, finished; // on_exit was accepted; status is known; destructors have run
} ending;

void dj_rt_quick_status(int status)
{
    ending.status = status;
}

// quick_exit calls this after all functions that the program registered.
static void end_quickly(void)
{
    dj_rt_process_end(ending.status);
}

// Called before the destructors in a static program and after them in others; the later of the two is the
// end.
static void learn_status(int status, void *unused)
{
    (void)unused;
    ending.status = status;
    ending.known = true;
    if (ending.finished)
        dj_rt_process_end(status);
}

__attribute__((destructor(101))) static void finish(void)
{
    ending.finished = true;
    if (ending.known || !ending.registered)
        dj_rt_process_end(ending.status);
}

DJ_RT_EXPORT void __tsan_init(void);

#ifdef DEJA_RUNTIME_STATIC
static bool is_called(void)
{
    return true;
}
#else
extern void own_init(void) __attribute__((alias("__tsan_init"), visibility("hidden")));

// False if a program and its libraries were linked with several copies of this library, and this is not the
// first.
static bool is_called(void)
{
    return dlsym(RTLD_DEFAULT, "__tsan_init") == (void *)own_init;
}
#endif

// Also called by the first callback of a program whose constructors run before ours.
bool dj_rt_start(void)
{
    static bool tried;
    if (tried || !environ)
        return dj_rt_ring;
    tried = true;
    char **at = find_variable();
    if (!at || getauxval(AT_SECURE) || !is_called() || !parse(*at + sizeof variable - 1)) {
        dj_rt_off = true;
        return false;
    }
    read_sample();
    remove_padding();
    at = find_variable();
    if (!target.follow)
        remove_variable(at);
    if (!open_ring())
        return false;
    dj_rt_modules_changed();
    dj_rt_depth++;
    pthread_atfork(dj_rt_before_fork, dj_rt_after_fork, dj_rt_begin_child);
    at_quick_exit(end_quickly);
    ending.registered = on_exit(learn_status, NULL) == 0;
    dj_rt_depth--;
    return true;
}

// Each object file calls this before any of its other code runs, even if it is loaded by dlopen.
void __tsan_init(void)
{
    if (dj_rt_ring)
        dj_rt_modules_changed();
    else
        dj_rt_start();
}

__attribute__((constructor(101))) static void begin(void)
{
    dj_rt_start();
}
