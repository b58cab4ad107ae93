// SPDX-License-Identifier: MIT
// Uses every annotation once.
#include <deja/record.h>
#include <stdio.h>

static volatile long grid[4];

int main(void)
{
    dj_thread_name("boss");
    dj_record_data((const void *)grid, sizeof grid, sizeof grid[0], "the grid");
    dj_record_partial((const void *)grid, (const void *)&grid[1]);
    dj_region_begin("sweep");
    dj_record_statement();
    grid[2] = 5;
    dj_record_write((const void *)grid, (const void *)&grid[2]);
    dj_region_end("sweep");
    dj_record_forget((const void *)grid);
    printf("%p\n", (void *)grid);
    return 0;
}
