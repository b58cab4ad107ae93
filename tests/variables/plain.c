// SPDX-License-Identifier: MIT
// Arrays, structures, unions, bit fields and statics of C.
#include "facts.h"

#include <stdbool.h>
#include <stdint.h>

typedef double vector[3];

struct particle {
    vector pos;
    double vel[2][2];
    const char *name;
    struct {
        short s;
        char c[5];
    };
    struct inner {
        int8_t tag;
        int count;
    } in[2];
};

union word {
    uint32_t whole;
    uint16_t half[2];
    uint8_t byte[4];
    struct {
        uint64_t low, high;
    } wide;
};

struct bits {
    unsigned kind : 3, flags : 5;
    unsigned rest : 24;
    int plain;
    uint64_t far : 40;
    uint64_t near : 24;
};

struct open {
    int length;
    double values[];
};

double X[10][20];
static float cube[3][4][5];
static volatile const int table[200] = {1, 2, 3};
struct particle parts[16];
static struct particle lone;
static union word words[4];
static struct bits flags;
struct open opened = {3, {1, 2, 3}};
int scalar;
static bool truth;
char *pointer_to;
static vector *vectors[7];
double (*row)[20];
extern int elsewhere[];
static const char *const names[] = {"a", "b"};
_Complex double z[3];
enum color { RED, GREEN } colors[5];
_Thread_local int per_thread[4];
void (*handlers[3])(void);

struct node {
    struct node *next;
    double payload[4];
};
struct node *head;
double *filled;

__attribute__((noinline)) static int counter(int step)
{
    static int calls[3];
    static struct inner inside;
    calls[step] += step;
    inside.count++;
    for (int i = 0; i < 3; i++)
        fact_global(&calls[i], sizeof calls[i], "calls", "[%d]", i);
    FACT(inside, .count);
    FACT(inside, .tag);
    return calls[step] + inside.count;
}

static void arrays(void)
{
    for (int i = 0; i < 10; i++)
        for (int j = 0; j < 20; j++)
            fact_global(&X[i][j], sizeof X[i][j], "X", "[%d][%d]", i, j);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 5; k++)
                fact_global(&cube[i][j][k], 4, "cube", "[%d][%d][%d]", i, j, k);
    for (int i = 0; i < 200; i++)
        fact_global(&table[i], sizeof table[i], "table", "[%d]", i);
    for (int i = 0; i < 300; i++)
        fact_global(&elsewhere[i], sizeof elsewhere[i], "elsewhere", "[%d]", i);
    for (int i = 0; i < 3; i++)
        fact_global(&opened.values[i], 8, "opened", ".values[%d]", i);
    FACT(opened, .length);
    FACT(colors, [4]);
    FACT(z, [2]);
    FACT(vectors, [6]);
    FACT(names, [1]);
    FACT(handlers, [2]);
    FACT(row, );
    FACT(scalar, );
    FACT(truth, );
    FACT(pointer_to, );
    // A vector instruction, and one byte of an element.
    fact_global(&X[2][4], 32, "X", "[2][4]");
    fact_global((char *)&X[2][4] + 5, 1, "X", "[2][4]");
}

static void records(void)
{
    for (int i = 0; i < 16; i++) {
        for (int j = 0; j < 3; j++)
            fact_global(&parts[i].pos[j], 8, "parts", "[%d].pos[%d]", i, j);
        for (int j = 0; j < 4; j++)
            fact_global(&parts[i].vel[j / 2][j % 2], 8, "parts", "[%d].vel[%d][%d]", i, j / 2, j % 2);
        for (int j = 0; j < 2; j++)
            fact_global(&parts[i].in[j].count, 4, "parts", "[%d].in[%d].count", i, j);
        for (int j = 0; j < 5; j++)
            fact_global(&parts[i].c[j], 1, "parts", "[%d].c[%d]", i, j);
        fact_global(&parts[i].s, 2, "parts", "[%d].s", i);
        fact_global(&parts[i].name, sizeof parts[i].name, "parts", "[%d].name", i);
        fact_global((char *)&parts[i].in[1].tag + 1, 1, "parts", "[%d].in[1]", i); // padding
        fact_global(&parts[i].pos[2], 16, "parts", "[%d]", i);                     // two members at once
    }
    FACT(lone, .in[1].tag);
    for (int i = 0; i < 4; i++) {
        fact_global(&words[i].whole, 4, "words", "[%d].whole", i);
        fact_global(&words[i], 0, "words", "[%d].whole", i); // of unknown size
        for (int j = 0; j < 2; j++)
            fact_global(&words[i].half[j], 2, "words", "[%d].half[%d]", i, j);
        for (int j = 0; j < 4; j++)
            fact_global(&words[i].byte[j], 1, "words", "[%d].byte[%d]", i, j);
        fact_global(&words[i].wide.high, 8, "words", "[%d].wide.high", i);
        fact_global(&words[i].wide.low, 8, "words", "[%d].wide.low", i);
    }
}

static void bit_fields(void)
{
    const char *start = (const char *)&flags;
    fact_global(start, 1, "flags", ".kind|flags");
    fact_global(start, 4, "flags", ".kind|flags|rest");
    fact_global(start + 2, 1, "flags", ".rest");
    fact_global(start + 4, 4, "flags", ".plain");
    fact_global(start + 8, 4, "flags", ".far");
    fact_global(start + 13, 2, "flags", ".near");
    fact_global(start, 8, "flags", "%s", "");
}

static void wholes(void)
{
    FACT_WHOLE(X, "double [10][20]");
    FACT_WHOLE(cube, "float [3][4][5]");
    FACT_WHOLE(parts, "struct particle [16]");
    FACT_WHOLE(lone, "struct particle");
    FACT_WHOLE(words, "union word [4]");
    FACT_WHOLE(scalar, "int");
    FACT_WHOLE(pointer_to, "char *");
    FACT_WHOLE(vectors, "vector *[7]");
    FACT_WHOLE(row, "double (*)[20]");
    FACT_WHOLE(head, "struct node *");
    FACT_WHOLE(colors, "enum color [5]");
    fact_whole(elsewhere, 300 * sizeof(int), "elsewhere", "int [300]");
    fact_whole(&opened, sizeof opened + 3 * sizeof(double), "opened", "struct open");
}

__attribute__((noinline)) static void pointers(void)
{
    filled = fact_allocate(100 * sizeof *filled);
    for (int i = 0; i < 100; i++)
        fact_pointer(fact_asked_from, (size_t)i * 8, 8, "filled", "[%d]", i);
    head = fact_allocate(3 * sizeof *head);
    for (int i = 0; i < 3; i++) {
        size_t at = (size_t)i * sizeof *head;
        fact_pointer(fact_asked_from, at, 8, "head", "[%d].next", i);
        for (int j = 0; j < 4; j++)
            fact_pointer(fact_asked_from, at + 8 + 8 * (size_t)j, 8, "head", "[%d].payload[%d]", i, j);
    }
    row = fact_allocate(5 * sizeof *row);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 20; j++)
            fact_pointer(fact_asked_from, (size_t)(i * 20 + j) * 8, 8, "row", "[%d][%d]", i, j);
}

int main(void)
{
    fact_module();
    arrays();
    records();
    bit_fields();
    wholes();
    pointers();
    per_thread[1] = counter(1) + counter(2);
    // What is kept alive for the optimizer's sake.
    pointer_to = (char *)&scalar;
    return per_thread[1] == 0 || truth || names[0] == pointer_to || vectors[0] || lone.pos[0] > 1 ||
           flags.kind || cube[0][0][0] > 1 || words[0].whole;
}
