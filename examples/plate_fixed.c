// SPDX-License-Identifier: MIT
// plate.c with three fixes: `cool` walks along the rows; two planes swap roles,
// so that nothing is copied back; and the sensor fields that every step uses
// are stored separately from those that no step uses.
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 1024, SENSORS = 50000, STEPS = 4 };

struct sensor {
    char name[112];
};

struct reading {
    int row, column;
    double sum;
};

typedef double plane[SIDE][SIDE];

static plane planes[2];

static void heat(plane plate)
{
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            plate[i][j] = i == 0 ? 100 : 0;
}

static void cool(plane cooler, plane plate)
{
    for (int i = 1; i < SIDE - 1; i++)
        for (int j = 1; j < SIDE - 1; j++)
            cooler[i][j] = 0.25 * (plate[i - 1][j] + plate[i + 1][j] + plate[i][j - 1] + plate[i][j + 1]);
}

static struct sensor *place_sensors(struct reading *readings)
{
    struct sensor *sensors = calloc(SENSORS, sizeof *sensors);
    for (int s = 0; sensors && s < SENSORS; s++) {
        readings[s].row = s % 64;
        readings[s].column = s * 7 % SIDE;
        sensors[s].name[0] = (char)('a' + s % 26);
    }
    return sensors;
}

static void read_sensors(struct reading *readings, plane plate)
{
    for (int s = 0; s < SENSORS; s++)
        readings[s].sum += plate[readings[s].row][readings[s].column];
}

int main(void)
{
    struct reading *readings = calloc(SENSORS, sizeof *readings);
    struct sensor *sensors = readings ? place_sensors(readings) : NULL;
    if (!sensors)
        return 1;
    heat(planes[0]);
    heat(planes[1]);
    for (int step = 0; step < STEPS; step++) {
        double(*now)[SIDE] = planes[(step + 1) % 2];
        cool(now, planes[step % 2]);
        read_sensors(readings, now);
    }
    double sum = 0;
    for (int s = 0; s < SENSORS; s++)
        sum += readings[s].sum;
    printf("%.6f\n", sum);
    free(sensors);
    free(readings);
    return 0;
}
