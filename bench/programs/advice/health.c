// SPDX-License-Identifier: MIT
// Lists of patients: every step walks the lists of all villages, from list cell to patient. Cells and
// patients were allocated one by one as they came, with records between them. A pool for each village keeps
// them together.
//
// model: Olden health
// object: cell patient first list heap
// level: L2
// accept: pool split reorder
// reject: tile fuse
// carrier: steps
// native: -DHALF=10
#include "kernel.h"

#ifndef HALF
#define HALF 6
#endif
#define PATIENTS (1U << (2 * HALF))
#define VILLAGES 64U
#define STEPS 30U

struct patient {
    uint32_t time, id;
};

struct cell {
    struct cell *next;
    struct patient *patient;
#ifdef FIXED
    struct patient own;
#endif
};

static struct cell *first[VILLAGES];

static void admit(struct cell *cell, struct patient *patient, uint32_t id)
{
    patient->id = id;
    patient->time = id;
    cell->patient = patient;
    cell->next = first[id / (PATIENTS / VILLAGES)];
    first[id / (PATIENTS / VILLAGES)] = cell;
}

ALONE uint32_t treat(struct cell *cell, uint32_t step)
{
    uint32_t sum = 0;
    for (; cell; cell = cell->next) {
        cell->patient->time = cell->patient->time * 3 + step;
        sum += cell->patient->time ^ cell->patient->id;
    }
    return sum;
}

int main(void)
{
#ifdef FIXED
    struct cell *pool = malloc(PATIENTS * sizeof *pool);
    for (uint32_t i = 0; i < PATIENTS; i++) {
        admit(&pool[i], &pool[i].own, i);
    }
#else
    for (uint32_t i = 0; i < PATIENTS; i++) {
        struct patient *patient = malloc(sizeof *patient);
        uint32_t *record = malloc(72);
        record[0] = i;
        admit(malloc(sizeof(struct cell)), patient, shuffled(i, HALF));
    }
#endif
    uint32_t sum = 0;
    for (uint32_t step = 0; step < STEPS; step++) { // [steps]
        for (uint32_t village = 0; village < VILLAGES; village++) {
            sum += treat(first[village], step);
        }
    }
    printf("%u\n", sum);
}
