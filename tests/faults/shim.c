// SPDX-License-Identifier: MIT
// Preloaded into a program (LD_PRELOAD): fails the Nth call of one kind, counted from the start of main on.
// The environment says what to do:
//     DEJA_FAULT=KIND:MODE:N   fail call N of KIND once (one), all from N on (all), or transfer less (short)
//     DEJA_FAULT_PROGRAM=NAME  only in programs whose file has this name (default deja)
//     DEJA_FAULT_COUNTS=FILE   a file of 8-byte counters: the calls of each kind, then the failed ones
// Calls within the C library itself (the reads of a FILE) are not seen, except its allocations. Messages on
// standard error are never failed.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

// In the order of KINDS in trial.py.
enum kind {
    MALLOC,
    CALLOC,
    REALLOC,
    ALIGNED,
    MMAP,
    READ,
    WRITE,
    OPEN,
    THREAD,
    RENAME,
    TRUNCATE,
    SPAWN,
    KINDS
};
enum mode { NONE, ONE, ALL, SHORT, EINTR_ONCE };

static const char *const kind_names[KINDS] = {"malloc", "calloc", "realloc", "aligned", "mmap",     "read",
                                              "write",  "open",   "thread",  "rename",  "truncate", "spawn"};
static const char *const mode_names[] = {"none", "one", "all", "short", "eintr"};

typedef struct counts {
    _Atomic uint64_t calls[KINDS];
    _Atomic uint64_t failed;
} counts;

static counts own_counts, *counted = &own_counts;
static atomic_bool active;
static enum kind fault_kind = KINDS;
static enum mode fault_mode;
static uint64_t fault_at;

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *old, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);

#define NEXT(name)                                                                                           \
    ({                                                                                                       \
        static __typeof__(&name) found;                                                                      \
        if (!found)                                                                                          \
            found = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                                              \
        found;                                                                                               \
    })

// Counts a call; true if it is to fail, or to transfer less.
static bool strikes(enum kind kind)
{
    if (!atomic_load_explicit(&active, memory_order_relaxed))
        return false;
    uint64_t n = atomic_fetch_add(&counted->calls[kind], 1) + 1;
    bool strike =
        kind == fault_kind && (n == fault_at || (n > fault_at && (fault_mode == ALL || fault_mode == SHORT)));
    if (strike)
        atomic_fetch_add(&counted->failed, 1);
    return strike;
}

static bool fails(enum kind kind, int fault)
{
    bool strike = strikes(kind);
    if (strike)
        errno = fault;
    return strike;
}

static bool is_named(const char *wanted)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    const char *slash = strrchr(path, '/');
    return slash && strcmp(slash + 1, wanted) == 0;
}

static int find_name(const char *name, size_t length, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0)
            return i;
    fprintf(stderr, "shim: '%.*s' in DEJA_FAULT is unknown\n", (int)length, name);
    _exit(99);
}

static void read_fault(const char *text)
{
    const char *mode = strchr(text, ':'), *at = mode ? strchr(mode + 1, ':') : NULL;
    if (!at) {
        fprintf(stderr, "shim: DEJA_FAULT is KIND:MODE:N, not '%s'\n", text);
        _exit(99);
    }
    fault_kind = (enum kind)find_name(text, (size_t)(mode - text), kind_names, KINDS);
    fault_mode = (enum mode)find_name(mode + 1, (size_t)(at - mode - 1), mode_names, 5);
    fault_at = strtoull(at + 1, NULL, 10);
}

static void share_counts(const char *path)
{
    int fd = NEXT(open)(path, O_RDWR | O_CLOEXEC);
    void *shared =
        fd < 0 ? MAP_FAILED : NEXT(mmap)(NULL, sizeof(counts), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    if (shared != MAP_FAILED)
        counted = shared;
}

static int (*real_main)(int, char **, char **);

static int counted_main(int count, char **arguments, char **environment)
{
    const char *fault = getenv("DEJA_FAULT"), *path = getenv("DEJA_FAULT_COUNTS");
    const char *program = getenv("DEJA_FAULT_PROGRAM");
    if (is_named(program ? program : "deja")) {
        if (fault)
            read_fault(fault);
        if (path)
            share_counts(path);
        atomic_store(&active, true);
    }
    int status = real_main(count, arguments, environment);
    atomic_store(&active, false);
    return status;
}

int __libc_start_main(int (*main)(int, char **, char **), int count, char **arguments, void (*init)(void),
                      void (*fini)(void), void (*loaded)(void), void *stack)
{
    typedef int starter(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
                        void (*)(void), void *);
    real_main = main;
    starter *start = (starter *)dlsym(RTLD_NEXT, "__libc_start_main");
    return start(counted_main, count, arguments, init, fini, loaded, stack);
}

void *malloc(size_t bytes)
{
    return fails(MALLOC, ENOMEM) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return fails(CALLOC, ENOMEM) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes)
{
    return fails(REALLOC, ENOMEM) ? NULL : __libc_realloc(old, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return fails(ALIGNED, ENOMEM) ? NULL : __libc_memalign(alignment, bytes);
}

int posix_memalign(void **out, size_t alignment, size_t bytes)
{
    void *memory = strikes(ALIGNED) ? NULL : __libc_memalign(alignment, bytes);
    if (!memory)
        return ENOMEM;
    *out = memory;
    return 0;
}

void *mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    return fails(MMAP, ENOMEM) ? MAP_FAILED : NEXT(mmap)(address, bytes, protection, flags, fd, offset);
}

void *mmap64(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    return mmap(address, bytes, protection, flags, fd, offset);
}

// Other descriptors, such as those of inotify, transfer complete records.
static bool may_be_short(int fd)
{
    struct stat about;
    return fstat(fd, &about) == 0 &&
           (S_ISREG(about.st_mode) || S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode));
}

// The bytes that a read or write may transfer; 0: it fails, and errno is set.
static size_t allowed(enum kind kind, int fd, size_t bytes)
{
    if (!strikes(kind) || (fault_mode == SHORT && !may_be_short(fd)))
        return bytes;
    if (fault_mode == SHORT)
        return bytes > 7 ? 7 : bytes > 1 ? 1 : bytes;
    errno = fault_mode == EINTR_ONCE ? EINTR : kind == WRITE ? ENOSPC : EIO;
    return 0;
}

ssize_t read(int fd, void *data, size_t bytes)
{
    size_t some = bytes ? allowed(READ, fd, bytes) : 0;
    return some || !bytes ? NEXT(read)(fd, data, some) : -1;
}

ssize_t pread(int fd, void *data, size_t bytes, off_t at)
{
    size_t some = bytes ? allowed(READ, fd, bytes) : 0;
    return some || !bytes ? NEXT(pread)(fd, data, some, at) : -1;
}

ssize_t pread64(int fd, void *data, size_t bytes, off_t at)
{
    return pread(fd, data, bytes, at);
}

ssize_t write(int fd, const void *data, size_t bytes)
{
    size_t some = bytes && fd != STDERR_FILENO ? allowed(WRITE, fd, bytes) : bytes;
    return some || !bytes ? NEXT(write)(fd, data, some) : -1;
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
    if (count > 0 && parts[0].iov_len && allowed(WRITE, fd, parts[0].iov_len) < parts[0].iov_len)
        return fault_mode == SHORT ? NEXT(write)(fd, parts[0].iov_base, 1) : -1;
    return NEXT(writev)(fd, parts, count);
}

static mode_t mode_of(int flags, va_list rest)
{
    return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return fails(OPEN, EMFILE) ? -1 : NEXT(open)(path, flags, mode);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open"), nonnull(1)));

int openat(int folder, const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return fails(OPEN, EMFILE) ? -1 : NEXT(openat)(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...) __attribute__((alias("openat"), nonnull(2)));

FILE *fopen(const char *path, const char *mode)
{
    return fails(OPEN, EMFILE) ? NULL : NEXT(fopen)(path, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
    return fopen(path, mode);
}

int mkstemp(char *path)
{
    return fails(OPEN, EMFILE) ? -1 : NEXT(mkstemp)(path);
}

int mkstemp64(char *path)
{
    return mkstemp(path);
}

char *mkdtemp(char *path)
{
    return fails(OPEN, EACCES) ? NULL : NEXT(mkdtemp)(path);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument)
{
    return strikes(THREAD) ? EAGAIN : NEXT(pthread_create)(thread, attributes, start, argument);
}

int rename(const char *from, const char *to)
{
    return fails(RENAME, EACCES) ? -1 : NEXT(rename)(from, to);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    return fails(RENAME, EACCES) ? -1 : NEXT(renameat)(from_folder, from, to_folder, to);
}

int ftruncate(int fd, off_t bytes)
{
    return fails(TRUNCATE, ENOSPC) ? -1 : NEXT(ftruncate)(fd, bytes);
}

int ftruncate64(int fd, off_t bytes)
{
    return ftruncate(fd, bytes);
}

pid_t fork(void)
{
    return fails(SPAWN, EAGAIN) ? -1 : NEXT(fork)();
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[])
{
    return strikes(SPAWN) ? EAGAIN
                          : NEXT(posix_spawn)(pid, path, actions, attributes, arguments, environment);
}

int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[])
{
    return strikes(SPAWN) ? EAGAIN
                          : NEXT(posix_spawnp)(pid, file, actions, attributes, arguments, environment);
}
