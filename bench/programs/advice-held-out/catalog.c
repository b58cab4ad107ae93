// SPDX-License-Identifier: MIT
// A catalog is searched for prices again and again; a record is 96 bytes, its price and its stock are 8.
//
// object: item items catalog
// level: L2
// accept: split
// reject: fuse
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ITEMS 6000

typedef struct {
    char title[64];
    int price;
#ifndef FIXED
    int stock;
#endif
    char author[24];
} Item;

static Item items[ITEMS];
#ifdef FIXED
static struct {
    int price, stock;
} hot[ITEMS];
#define PRICE(i) hot[i].price
#define STOCK(i) hot[i].stock
#else
#define PRICE(i) items[i].price
#define STOCK(i) items[i].stock
#endif

static long worth_above(int least)
{
    long worth = 0;
    for (int i = 0; i < ITEMS; i++)
        if (PRICE(i) >= least)
            worth += (long)PRICE(i) * STOCK(i);
    return worth;
}

int main(void)
{
    for (int i = 0; i < ITEMS; i++) {
        memset(items[i].title, 'a' + i % 26, sizeof items[i].title);
        memset(items[i].author, 'A' + i % 26, sizeof items[i].author);
        PRICE(i) = i * 37 % 1000;
        STOCK(i) = i % 12;
    }
    long sum = items[77].title[3] + items[99].author[5];
    for (int least = 0; least < 1000; least += 25)
        sum += worth_above(least);
    printf("%ld\n", sum);
    return 0;
}
