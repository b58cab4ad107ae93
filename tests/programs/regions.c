// SPDX-License-Identifier: MIT
// Nested and repeated regions in several threads, around accesses that are annotated
// one by one, so that every tool counts the same accesses to `cells`: one read and one
// write of each touched cell.
#include <deja/record.h>

#include <pthread.h>
#include <stdlib.h>

static volatile long cells[64];

static void touch(int count)
{
    for (int i = 0; i < count; i++) {
        dj_record_statement();
        cells[i] = cells[i] + i;
        dj_record_read(cells, &cells[i]);
        dj_record_write(cells, &cells[i]);
    }
}

static void recurse(int depth)
{
    dj_region_begin("deep");
    touch(3);
    if (depth > 1)
        recurse(depth - 1);
    touch(4);
    dj_region_end("deep");
}

static void *work(void *argument)
{
    int number = (int)(long)argument;
    dj_thread_name(number == 1 ? "the first of the workers" : "the second of the workers");
    dj_region_begin("labour");
    touch(10 * number);
    dj_region_end("labour");
    touch(5);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    touch(2); // before the data has a name
    dj_record_data(cells, sizeof cells, sizeof cells[0], "the cells");
    touch(7);
    dj_region_end("outer"); // this region has not begun
    for (int round = 0; round < 3; round++) {
        dj_region_begin("outer");
        touch(11);
        dj_region_begin("inner");
        touch(13);
        dj_region_end("inner");
        touch(17);
        dj_region_end("outer");
        touch(19);
    }
    recurse(4);
    // Between its begin and end, a region includes all threads.
    dj_region_begin("all");
    for (long i = 1; i <= 2; i++) {
        pthread_create(&thread, NULL, work, (void *)i);
        pthread_join(thread, NULL);
    }
    dj_region_end("all");
    dj_region_begin("unended");
    touch(23);
    return 0;
}
