// SPDX-License-Identifier: MIT
// Shared by the programs of this folder: annotations for each statement, as in
// the paper of 2001, and the line that the programs print.
//
//     x[i][j] = x[i][j - 1] / b[i][j];
//     RECORD(R(x, i, j - 1), R(b, i, j), W(x, i, j));
//
// After each assignment: the elements it read, in source order, then the element
// it wrote. Scalars are not recorded: they are in registers.
#ifndef DEJA_PAPERS_ANNOTATE_H
#define DEJA_PAPERS_ANNOTATE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "deja/record.h"

#define ELEMENT_1(array, i) (array)[i]
#define ELEMENT_2(array, i, j) (array)[i][j]
#define ELEMENT_3(array, i, j, k) (array)[i][j][k]
#define ELEMENT_4(array, i, j, k, l) (array)[i][j][k][l]
#define ELEMENT_OF(_1, _2, _3, _4, name, ...) name
#define ELEMENT(array, ...)                                                                                  \
    ELEMENT_OF(__VA_ARGS__, ELEMENT_4, ELEMENT_3, ELEMENT_2, ELEMENT_1, )(array, __VA_ARGS__)

#define RECORD(...) (dj_record_statement(), __VA_ARGS__)
#define R(array, ...) dj_record_read(array, &ELEMENT(array, __VA_ARGS__))
#define W(array, ...) dj_record_write(array, &ELEMENT(array, __VA_ARGS__))

// Allocates and records `count` doubles, all zero, under the name of the variable.
#define ARRAY(array, count) ((array) = new_array(count, #array))

static void *new_array(size_t count, const char *name)
{
    void *array = calloc(count, sizeof(double));
    if (!array) {
        fprintf(stderr, "no memory for array %s\n", name);
        exit(2);
    }
    dj_record_data(array, count * sizeof(double), sizeof(double), name);
    return array;
}

// The number in argument `position`, or `otherwise` if there is none.
static int argument(int argc, char **argv, int position, int otherwise, int least)
{
    int value = argc > position ? atoi(argv[position]) : otherwise;
    if (value < least) {
        fprintf(stderr, "usage: %s [SIZE [ITERATIONS]], %d at least\n", argv[0], least);
        exit(2);
    }
    return value;
}

// The line that the program prints, and its exit status.
static int verdict(const char *name, int n, int iterations, double checksum, double error, double bound)
{
    int good = error <= bound; // not for a NaN
    printf("%s %d %d: checksum %.12e, error %.1e of at most %.0e: %s\n", name, n, iterations, checksum, error,
           bound, good ? "passed" : "FAILED");
    return !good;
}

#endif
