// SPDX-License-Identifier: MIT
// A camera's frames go through three filters, each a function over a whole image into the next buffer.
// Strips of a few lines can go through all of them, in buffers of that size.
//
// object: gray blurred
// level: L2
// accept: fuse "call together" shrink
// reject: tile recompute
// also: fuse@out "call together"@out
// carrier: frames
// native: -DWIDTH=2000 -DHEIGHT=2000
#include "kernel.h"

#ifndef WIDTH
#define WIDTH 200
#define HEIGHT 200
#endif
#define FRAMES 6

#ifndef FIXED
#define STRIP HEIGHT
#else
#define STRIP 8
#endif

static uint32_t gray[STRIP][WIDTH], blurred[STRIP][WIDTH], out[HEIGHT][WIDTH];

ALONE void take(uint32_t frame, int from, int to)
{
    for (int y = from; y < to; y++) {
        for (int x = 0; x < WIDTH; x++) {
            gray[y % STRIP][x] = ((uint32_t)(x * y) ^ frame * 77) & 255;
        }
    }
}

ALONE void blur(int from, int to)
{
    for (int y = from; y < to; y++) {
        for (int x = 1; x < WIDTH - 1; x++) {
            blurred[y % STRIP][x] = gray[y % STRIP][x - 1] + 2 * gray[y % STRIP][x] + gray[y % STRIP][x + 1];
        }
    }
}

ALONE void sharpen(int from, int to)
{
    for (int y = from; y < to; y++) {
        for (int x = 1; x < WIDTH - 1; x++) {
            out[y][x] += blurred[y % STRIP][x] > 500 ? blurred[y % STRIP][x] : 3;
        }
    }
}

int main(void)
{
    for (uint32_t frame = 0; frame < FRAMES; frame++) { // [frames]
#ifndef FIXED
        take(frame, 0, HEIGHT);
        blur(0, HEIGHT);
        sharpen(0, HEIGHT);
#else
        for (int y = 0; y < HEIGHT; y += STRIP) {
            take(frame, y, y + STRIP);
            blur(y, y + STRIP);
            sharpen(y, y + STRIP);
        }
#endif
    }
    uint32_t sum = 0;
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            sum = sum * 31 + out[y][x];
        }
    }
    printf("%u\n", sum);
}
