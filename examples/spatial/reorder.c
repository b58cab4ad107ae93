// SPDX-License-Identifier: MIT
// Looks up customers in random order and uses the first 4 and the last 4 of their
// 128 bytes, so that 8 bytes need two blocks. With -DFIXED these fields are
// adjacent.
#include <stdio.h>

#include "example.h"

enum { COUNT = 20000 };

static _Alignas(128) struct {
    int number;
#ifdef FIXED
    int balance;
    char name[120];
#else
    char name[120];
    int balance;
#endif
} customers[COUNT];

static uint32_t order[COUNT];

static long look_up(void)
{
    long sum = 0;
    for (int i = 0; i < COUNT; i++) {
        uint32_t who = order[i];
        sum += customers[who].number ^ customers[who].balance;
    }
    return sum;
}

int main(int argc, char **argv)
{
    int rounds = rounds_of(argc, argv, 20);
    long sum = 0;
    shuffle(order, COUNT);
    for (int i = 0; i < COUNT; i++) {
        customers[i].number = i;
        customers[i].balance = i % 1000;
    }
    for (int round = 0; round < rounds; round++)
        sum += look_up();
    printf("%ld\n", sum);
    return 0;
}
