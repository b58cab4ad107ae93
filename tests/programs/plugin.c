// SPDX-License-Identifier: MIT
// The shared object that loader.c opens.
enum { CELLS = 1000 };

volatile long plugin_table[CELLS];

long plugin_work(void)
{
    long sum = 0;
    for (int i = 0; i < CELLS; i++)
        sum += plugin_table[i] = i; // [plugin]
    return sum;
}
