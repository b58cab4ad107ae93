// SPDX-License-Identifier: MIT
// Visits items of 48 bytes in random order and uses all of each. Every second
// item spans two blocks of 64 bytes; with -DFIXED none does.
#include <stdio.h>

#include "example.h"

enum { COUNT = 10000 };

static _Alignas(64) struct {
#ifdef FIXED
    _Alignas(64) double a;
    double b, c, d, e, f;
#else
    double a, b, c, d, e, f;
#endif
} items[COUNT];

static uint32_t order[COUNT];

static double visit(void)
{
    double sum = 0;
    for (int i = 0; i < COUNT; i++) {
        uint32_t k = order[i];
        sum += items[k].a + items[k].b * items[k].c - items[k].d * items[k].e + items[k].f;
    }
    return sum;
}

int main(int argc, char **argv)
{
    int rounds = rounds_of(argc, argv, 40);
    double sum = 0;
    shuffle(order, COUNT);
    for (int i = 0; i < COUNT; i++) {
        items[i].a = i % 7;
        items[i].b = items[i].c = items[i].d = i % 5;
        items[i].e = items[i].f = i % 3;
    }
    for (int round = 0; round < rounds; round++)
        sum += visit();
    printf("%.0f\n", sum);
    return 0;
}
