// SPDX-License-Identifier: MIT
// Each step moves every particle and uses 16 of its 64 bytes; the rest is read
// once, at the end. With -DFIXED the 16 bytes are a separate structure.
#include <stdio.h>

#include "example.h"

enum { COUNT = 20000 };

struct record {
    double mass, charge, born[4];
};

#ifdef FIXED
static struct {
    double place, speed;
} moving[COUNT];
static struct record records[COUNT];
#define MOVING(i) moving[i]
#define RECORD(i) records[i]
#else
static struct {
    double place, speed;
    struct record record;
} particles[COUNT];
#define MOVING(i) particles[i]
#define RECORD(i) particles[i].record
#endif

static void move(void)
{
    for (int i = 0; i < COUNT; i++)
        MOVING(i).place += MOVING(i).speed;
}

int main(int argc, char **argv)
{
    int rounds = rounds_of(argc, argv, 20);
    double sum = 0;
    for (int i = 0; i < COUNT; i++) {
        MOVING(i).speed = i % 7;
        RECORD(i).mass = i % 3;
    }
    for (int round = 0; round < rounds; round++)
        move();
    for (int i = 0; i < COUNT; i++)
        sum += RECORD(i).mass * MOVING(i).place;
    printf("%.0f\n", sum);
    return 0;
}
