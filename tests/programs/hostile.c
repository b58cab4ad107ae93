// SPDX-License-Identifier: MIT
// Programs that attack the file through which they are traced, or what is next to it: the first argument
// selects one. Each prints "done" if it lives long enough.
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    CELLS = 4096,
    HEADER = 1 << 17,
    CHUNK = 256,
    RING_ROUNDS = 800, // of work: more than fits into a ring
};

static volatile long cells[CELLS];
static char ring[4096], folder[4096];
static int file = -1;
static off_t bytes;

static void work(int rounds)
{
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < CELLS; i++)
            cells[i] = cells[i] + i;
}

// The mappings name the file.
static int find_ring(void)
{
    char line[8192], *at = NULL;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && !at && fgets(line, sizeof line, maps))
        if ((at = strstr(line, "/deja-rings-")))
            at = strchr(line, '/');
    if (maps)
        fclose(maps);
    if (!at)
        return -1;
    at[strcspn(at, "\n")] = '\0';
    snprintf(ring, sizeof ring, "%s", at);
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(ring, '/') - ring), ring);
    file = open(ring, O_RDWR);
    bytes = lseek(file, 0, SEEK_END);
    return file;
}

static int scribble(off_t from, off_t to, int times, unsigned seed)
{
    unsigned char noise[CHUNK];
    srand(seed);
    for (int t = 0; t < times; t++) {
        for (int i = 0; i < CHUNK; i++)
            noise[i] = (unsigned char)rand();
        off_t at = from + (off_t)((double)rand() / RAND_MAX * (double)(to - from - CHUNK));
        if (pwrite(file, noise, (size_t)(1 + rand() % CHUNK), at) < 0)
            return -1;
        work(1);
    }
    return 0;
}

static int put(const char *name, const void *text, size_t length, off_t size)
{
    char path[8192];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_CREAT | O_RDWR, 0600);
    int bad = fd < 0 || write(fd, text, length) != (ssize_t)length || (size && ftruncate(fd, size) != 0);
    return close(fd) | bad;
}

// Files with names of rings that are none: another kind of file, garbage, a link, a header alone.
static int fake(void)
{
    char path[8192], header[64] = "DJARING2\2";
    int bad = put("ring.1.0", "garbage", 7, 0) | put("ring.2.0", "", 0, 1 << 20) |
              put("ring.3.0", header, sizeof header, 1 << 20) |
              put("ring.4294967295.4294967295", header, 64, 0);
    snprintf(path, sizeof path, "%s/ring.4.0", folder);
    bad |= symlink("/etc/passwd", path);
    snprintf(path, sizeof path, "%s/ring.5.0", folder);
    bad |= mkfifo(path, 0600);
    snprintf(path, sizeof path, "%s/ring.6.0", folder);
    bad |= mkdir(path, 0700);
    return bad;
}

// Replaces the file of the ring while deja is stopped, and then fills a ring.
static bool replace_ring(pid_t deja, const char *how)
{
    bool lost = unlink(ring) == 0;
    if (lost && strcmp(how, "link") == 0)
        lost = symlink("/etc/passwd", ring) == 0;
    if (lost && strcmp(how, "folder") == 0)
        lost = mkdir(ring, 0700) == 0;
    kill(deja, SIGCONT);
    work(lost ? RING_ROUNDS : 0);
    return lost;
}

// Its child does so.
static int lose(const char *how)
{
    pid_t deja = getppid();
    int status = 0;
    if (kill(deja, SIGSTOP) != 0)
        return -1;
    pid_t child = fork();
    if (child == 0)
        _exit(find_ring() >= 0 && replace_ring(deja, how) ? 0 : 4);
    return child < 0 || waitpid(child, &status, 0) != child || status != 0 ? kill(deja, SIGCONT) | -1 : 0;
}

static int attack(const char *how, const char *word)
{
    const unsigned seed = (unsigned)atoi(word);
    if (strcmp(how, "truncate") == 0)
        return ftruncate(file, (off_t)seed);
    if (strcmp(how, "grow") == 0)
        return ftruncate(file, bytes + (16 << 20));
    if (strcmp(how, "unlink") == 0)
        return unlink(ring);
    if (strcmp(how, "header") == 0)
        return scribble(0, HEADER, 50, seed);
    if (strcmp(how, "counts") == 0) // the first counters, and those of the analyzer
        return scribble(64, 64 + CHUNK + 16, 2, seed) | scribble(98304, 98304 + CHUNK + 64, 2, seed);
    if (strcmp(how, "frames") == 0)
        return scribble(HEADER, HEADER + (1 << 18), 500, seed);
    if (strcmp(how, "fake") == 0)
        return fake();
    if (strcmp(how, "lose") == 0)
        return lose(word);
    if (strcmp(how, "lose-own") == 0) // deja is stopped already
        return replace_ring(getppid(), word) ? 0 : -1;
    return -1;
}

int main(int count, char **words)
{
    const bool own = count > 1 && strcmp(words[1], "lose-own") == 0;
    if (!own) // deja must have opened the ring and read a part of it, however busy the machine is
        work(RING_ROUNDS);
    if (count < 2 || find_ring() < 0)
        return 2;
    if (attack(words[1], count > 2 ? words[2] : ""))
        return 3;
    work(20);
    puts("done");
    return own ? 5 : 0;
}
