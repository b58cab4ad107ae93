// SPDX-License-Identifier: MIT
// Functions that call libraries, which allocate and copy, before their first own access.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 100 };

static long words[WORDS];

__attribute__((noinline)) static void work(void)
{
    for (int i = 0; i < WORDS; i++)
        words[i]++;
}

__attribute__((noinline)) static void read_file(void)
{
    FILE *file = fopen("/dev/null", "r");
    work();
    fclose(file);
    words[0]++;
}

__attribute__((noinline)) static void copy_text(void)
{
    char *text = strdup("a text that strdup copies, with memcpy");
    work();
    free(text);
    words[0]++;
}

static int compare(const void *a, const void *b)
{
    const long *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

__attribute__((noinline)) static void sort(void)
{
    qsort(words, WORDS, sizeof *words, compare);
    words[0]++;
}

static void *start(void *unused)
{
    work();
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, start, NULL);
    pthread_join(thread, NULL);
    read_file();
    copy_text();
    sort();
    return words[0] == 0;
}
