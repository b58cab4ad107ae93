// SPDX-License-Identifier: MIT
// Simulates a cooling plate that sensors read. It is slow; docs/tutorial.md
// finds the reasons with `deja run`, and plate_fixed.c fixes them.
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 1024, SENSORS = 50000, STEPS = 4 };

struct sensor {
    int row, column;
    double sum;
    char name[112];
};

static double plate[SIDE][SIDE], cooler[SIDE][SIDE];

static void heat(void)
{
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            plate[i][j] = i == 0 ? 100 : 0;
}

static void cool(void)
{
    for (int j = 1; j < SIDE - 1; j++)
        for (int i = 1; i < SIDE - 1; i++)
            cooler[i][j] = 0.25 * (plate[i - 1][j] + plate[i + 1][j] + plate[i][j - 1] + plate[i][j + 1]);
    for (int j = 1; j < SIDE - 1; j++)
        for (int i = 1; i < SIDE - 1; i++)
            plate[i][j] = cooler[i][j];
}

static struct sensor *place_sensors(void)
{
    struct sensor *sensors = calloc(SENSORS, sizeof *sensors);
    for (int s = 0; sensors && s < SENSORS; s++) {
        sensors[s].row = s % 64;
        sensors[s].column = s * 7 % SIDE;
        sensors[s].name[0] = (char)('a' + s % 26);
    }
    return sensors;
}

static void read_sensors(struct sensor *sensors)
{
    for (int s = 0; s < SENSORS; s++)
        sensors[s].sum += plate[sensors[s].row][sensors[s].column];
}

int main(void)
{
    struct sensor *sensors = place_sensors();
    if (!sensors)
        return 1;
    heat();
    for (int step = 0; step < STEPS; step++) {
        cool();
        read_sensors(sensors);
    }
    double sum = 0;
    for (int s = 0; s < SENSORS; s++)
        sum += sensors[s].sum;
    printf("%.6f\n", sum);
    free(sensors);
    return 0;
}
