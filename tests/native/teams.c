// SPDX-License-Identifier: MIT
// OpenMP: elements are written in one phase and read in the next, mostly by another
// thread. Prints addresses. Exit status 0: the results are right.
#include <omp.h>
#include <sched.h>
#include <stdio.h>

enum { ELEMENTS = 256, PHASES = 6, TURNS = 200 };

static volatile long cells[ELEMENTS], task_cells[ELEMENTS], section_cells[4], wave[ELEMENTS],
    wide_wave[ELEMENTS], flag_wave[ELEMENTS];
static volatile long turn, row;
static unsigned char entered[4 * TURNS], row_entered[ELEMENTS];

static long phases(void)
{
    long sum = 0;
    for (int phase = 0; phase < PHASES; phase++) {
#pragma omp parallel for schedule(dynamic, 8)
        for (int i = 0; i < ELEMENTS; i++)
            cells[i] = phase + i;
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (int i = 0; i < ELEMENTS; i++)
            sum += cells[(i * 7 + phase) % ELEMENTS];
    }
    return sum;
}

// The same within one team, with only the barriers of the loops.
static long one_team(void)
{
    long sum = 0;
#pragma omp parallel
    for (int phase = 0; phase < PHASES; phase++) {
#pragma omp for schedule(guided)
        for (int i = 0; i < ELEMENTS; i++)
            cells[i] = phase + i;
#pragma omp for schedule(static, 3) reduction(+ : sum)
        for (int i = 0; i < ELEMENTS; i++)
            sum += cells[(i * 7 + phase) % ELEMENTS];
    }
    return sum;
}

static void turns(void)
{
#pragma omp parallel num_threads(4)
    for (int i = 0; i < TURNS; i++) {
#pragma omp critical
        {
            entered[turn] = (unsigned char)omp_get_thread_num();
            turn = turn + 1;
        }
    }
}

static void rows(void)
{
#pragma omp parallel for ordered schedule(dynamic) num_threads(4)
    for (int i = 0; i < ELEMENTS; i++) {
#pragma omp ordered
        {
            row_entered[i] = (unsigned char)omp_get_thread_num();
            row = row + 1;
        }
    }
}

// Each iteration waits for the previous one.
static long waves(void)
{
    wave[0] = wide_wave[0] = 1;
#pragma omp parallel for ordered(1) schedule(static, 1) num_threads(4)
    for (int i = 1; i < ELEMENTS; i++) {
#pragma omp ordered depend(sink : i - 1)
        wave[i] = wave[i - 1] + 1;
#pragma omp ordered depend(source)
    }
#pragma omp parallel for ordered(1) schedule(dynamic) num_threads(4)
    for (unsigned long long i = 1; i < ELEMENTS; i++) {
#pragma omp ordered depend(sink : i - 1)
        wide_wave[i] = wide_wave[i - 1] + 1;
#pragma omp ordered depend(source)
    }
    return wave[ELEMENTS - 1] + wide_wave[ELEMENTS - 1];
}

// Likewise, with a flag and flushes.
static long flags(void)
{
    int next = 1;
    flag_wave[0] = 1;
#pragma omp parallel num_threads(2)
    for (int i = omp_get_thread_num() + 1; i < ELEMENTS; i += omp_get_num_threads()) {
        for (int seen = 0; seen != i;) {
#pragma omp atomic read
            seen = next;
#pragma omp flush
            if (seen != i)
                sched_yield();
        }
        flag_wave[i] = flag_wave[i - 1] + 1;
#pragma omp flush
#pragma omp atomic write
        next = i + 1;
    }
    return flag_wave[ELEMENTS - 1];
}

static long tasks(void)
{
    long sum = 0;
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < ELEMENTS; i++) {
#pragma omp task firstprivate(i)
            task_cells[i] = i + 1;
        }
#pragma omp taskwait
        for (int i = 0; i < ELEMENTS; i++)
            sum += task_cells[i];
    }
    return sum;
}

static long sections(void)
{
#pragma omp parallel sections
    {
#pragma omp section
        section_cells[0] = 1;
#pragma omp section
        section_cells[1] = 2;
#pragma omp section
        section_cells[2] = 3;
#pragma omp section
        section_cells[3] = 4;
    }
    return section_cells[0] + section_cells[1] + section_cells[2] + section_cells[3];
}

int main(void)
{
    omp_set_dynamic(0);
    omp_set_num_threads(4);
    const long expected = PHASES * (ELEMENTS * (ELEMENTS - 1) / 2) + ELEMENTS * (PHASES * (PHASES - 1) / 2);
    int good = phases() == expected && one_team() == expected && sections() == 10 &&
               waves() == 2 * ELEMENTS && flags() == ELEMENTS;
    turns();
    rows();
    good = good && tasks() == ELEMENTS * (ELEMENTS + 1) / 2 && turn == 4 * TURNS && row == ELEMENTS;
    printf("%lx %lx %lx %lx %lx %lx\n%lx ", (unsigned long)cells, (unsigned long)task_cells,
           (unsigned long)section_cells, (unsigned long)wave, (unsigned long)wide_wave,
           (unsigned long)flag_wave, (unsigned long)&turn);
    for (int i = 0; i < 4 * TURNS; i++)
        putchar('a' + entered[i]);
    printf("\n%lx ", (unsigned long)&row);
    for (int i = 0; i < ELEMENTS; i++)
        putchar('a' + row_entered[i]);
    putchar('\n');
    return !good;
}
