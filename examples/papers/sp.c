// SPDX-License-Identifier: MIT
// A solver in the style of NASA's SP: five quantities (density, momenta,
// energy) of a gas on n × n × n points, moved towards a steady state by an
// approximate factorization: for each direction and each line of points, three
// pentadiagonal systems, the first of three quantities, the others of one.
//     sp [SIZE [ITERATIONS]]
// Points are numbered; neighbours along a direction are one stride apart.
#include "annotate.h"

enum { FIELDS = 5, BANDS = 5, SYSTEMS = 3, DIRECTIONS = 3 };

// Time step divided by twice the grid spacing, divided by its square, and the
// weight of the fourth differences.
static const double advect = 0.05, diffuse = 0.04, damp = 0.01, gamma_1 = 0.4;

static const int first_field[SYSTEMS + 1] = {0, 3, 4, 5};

static int n, points, stride[DIRECTIONS];
static double (*u)[FIELDS], (*rhs)[FIELDS], (*forcing)[FIELDS], (*lhs)[SYSTEMS * BANDS];
static double *us, *vs, *ws, *qs, *rho_i, *speed, *square; // of each point
static double *cv, *rhon, *rhos, *rhoq;                    // of each point of a line

static double *velocity(int d)
{
    return d == 0 ? us : d == 1 ? vs : ws;
}

static double steady(int c, int m)
{
    static const double base[FIELDS] = {1, 0.2, 0.1, 0.15, 2};
    double x = (double)(c / n / n) / (n - 1), y = (double)(c / n % n) / (n - 1),
           z = (double)(c % n) / (n - 1);
    return base[m] * (1 + 0.1 * sin(x + 0.5 * m) + 0.1 * x * y + 0.05 * z * z);
}

static void begin(void)
{
    for (int c = 0; c < points; c++)
        for (int m = 0; m < FIELDS; m++) {
            u[c][m] = steady(c, m);
            RECORD(W(u, c, m));
            forcing[c][m] = 0;
            RECORD(W(forcing, c, m));
        }
}

static void derive(void)
{
    for (int c = 0; c < points; c++) {
        rho_i[c] = 1 / u[c][0];
        RECORD(R(u, c, 0), W(rho_i, c));
        us[c] = u[c][1] * rho_i[c];
        RECORD(R(u, c, 1), R(rho_i, c), W(us, c));
        vs[c] = u[c][2] * rho_i[c];
        RECORD(R(u, c, 2), R(rho_i, c), W(vs, c));
        ws[c] = u[c][3] * rho_i[c];
        RECORD(R(u, c, 3), R(rho_i, c), W(ws, c));
        square[c] = 0.5 * (u[c][1] * u[c][1] + u[c][2] * u[c][2] + u[c][3] * u[c][3]) * rho_i[c];
        RECORD(R(u, c, 1), R(u, c, 1), R(u, c, 2), R(u, c, 2), R(u, c, 3), R(u, c, 3), R(rho_i, c),
               W(square, c));
        qs[c] = square[c] * rho_i[c];
        RECORD(R(square, c), R(rho_i, c), W(qs, c));
        speed[c] = sqrt(1.4 * gamma_1 * rho_i[c] * (u[c][4] - square[c]));
        RECORD(R(rho_i, c), R(u, c, 4), R(square, c), W(speed, c));
        for (int m = 0; m < FIELDS; m++) {
            rhs[c][m] = forcing[c][m];
            RECORD(R(forcing, c, m), W(rhs, c, m));
        }
    }
}

// The flow to point c in direction d.
static void flow(int c, int d)
{
    int s = stride[d], along = d + 1;
    double *v = velocity(d);
    rhs[c][0] = rhs[c][0] - advect * (u[c + s][along] - u[c - s][along]) +
                diffuse * (u[c + s][0] - 2 * u[c][0] + u[c - s][0]);
    RECORD(R(rhs, c, 0), R(u, c + s, along), R(u, c - s, along), R(u, c + s, 0), R(u, c, 0), R(u, c - s, 0),
           W(rhs, c, 0));
    for (int m = 1; m <= DIRECTIONS; m++) {
        double *w = velocity(m - 1);
        rhs[c][m] = rhs[c][m] - advect * (u[c + s][m] * v[c + s] - u[c - s][m] * v[c - s]) +
                    diffuse * (u[c + s][m] - 2 * u[c][m] + u[c - s][m]);
        RECORD(R(rhs, c, m), R(u, c + s, m), R(v, c + s), R(u, c - s, m), R(v, c - s), R(u, c + s, m),
               R(u, c, m), R(u, c - s, m), W(rhs, c, m));
        rhs[c][m] = rhs[c][m] + 0.1 * diffuse * (w[c + s] - 2 * w[c] + w[c - s]);
        RECORD(R(rhs, c, m), R(w, c + s), R(w, c), R(w, c - s), W(rhs, c, m));
    }
    rhs[c][along] =
        rhs[c][along] - advect * gamma_1 * (u[c + s][4] - square[c + s] - u[c - s][4] + square[c - s]);
    RECORD(R(rhs, c, along), R(u, c + s, 4), R(square, c + s), R(u, c - s, 4), R(square, c - s),
           W(rhs, c, along));
    rhs[c][4] = rhs[c][4] -
                advect * ((1.4 * u[c + s][4] - gamma_1 * square[c + s]) * v[c + s] -
                          (1.4 * u[c - s][4] - gamma_1 * square[c - s]) * v[c - s]) +
                diffuse * (u[c + s][4] - 2 * u[c][4] + u[c - s][4]);
    RECORD(R(rhs, c, 4), R(u, c + s, 4), R(square, c + s), R(v, c + s), R(u, c - s, 4), R(square, c - s),
           R(v, c - s), R(u, c + s, 4), R(u, c, 4), R(u, c - s, 4), W(rhs, c, 4));
    rhs[c][4] =
        rhs[c][4] + 0.1 * diffuse * (qs[c + s] - 2 * qs[c] + qs[c - s]) +
        0.1 * diffuse * (u[c + s][4] * rho_i[c + s] - 2 * u[c][4] * rho_i[c] + u[c - s][4] * rho_i[c - s]);
    RECORD(R(rhs, c, 4), R(qs, c + s), R(qs, c), R(qs, c - s), R(u, c + s, 4), R(rho_i, c + s), R(u, c, 4),
           R(rho_i, c), R(u, c - s, 4), R(rho_i, c - s), W(rhs, c, 4));
}

// Fourth differences, where there are two points on either side.
static void dissipate(int c, int s)
{
    for (int m = 0; m < FIELDS; m++) {
        rhs[c][m] = rhs[c][m] - damp * (u[c - 2 * s][m] - 4 * u[c - s][m] + 6 * u[c][m] - 4 * u[c + s][m] +
                                        u[c + 2 * s][m]);
        RECORD(R(rhs, c, m), R(u, c - 2 * s, m), R(u, c - s, m), R(u, c, m), R(u, c + s, m),
               R(u, c + 2 * s, m), W(rhs, c, m));
    }
}

static void right_sides(void)
{
    derive();
    for (int d = 0; d < DIRECTIONS; d++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                for (int k = 1; k < n - 1; k++) {
                    int c = (i * n + j) * n + k, place = d == 0 ? i : d == 1 ? j : k;
                    flow(c, d);
                    if (place > 1 && place < n - 2)
                        dissipate(c, stride[d]);
                }
}

// Sets the steady state to one, then disturbs the inner points.
static void disturb(void)
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            for (int k = 1; k < n - 1; k++)
                for (int m = 0; m < FIELDS; m++) {
                    int c = (i * n + j) * n + k;
                    forcing[c][m] = -rhs[c][m];
                    RECORD(R(rhs, c, m), W(forcing, c, m));
                    u[c][m] = u[c][m] * (1 + ((i + j + k) % 2 == 0 ? 0.02 : -0.02));
                    RECORD(R(u, c, m), W(u, c, m));
                }
}

// The ends of a line do not change.
static void end_row(int c)
{
    for (int b = 0; b < SYSTEMS * BANDS; b++) {
        lhs[c][b] = b % BANDS == 2 ? 1 : 0;
        RECORD(W(lhs, c, b));
    }
}

// Row l of the line: the first system, then those of the forward and backward waves.
static void inner_row(int c, int s, int l)
{
    lhs[c][0] = damp;
    RECORD(W(lhs, c, 0));
    lhs[c][1] = -advect * cv[l - 1] - rhon[l - 1] - 4 * damp;
    RECORD(R(cv, l - 1), R(rhon, l - 1), W(lhs, c, 1));
    lhs[c][2] = 1 + rhos[l] + rhoq[l] + 6 * damp;
    RECORD(R(rhos, l), R(rhoq, l), W(lhs, c, 2));
    lhs[c][3] = advect * cv[l + 1] - rhon[l + 1] - 4 * damp;
    RECORD(R(cv, l + 1), R(rhon, l + 1), W(lhs, c, 3));
    lhs[c][4] = damp;
    RECORD(W(lhs, c, 4));
    for (int system = 1; system < SYSTEMS; system++) {
        int b = system * BANDS;
        double wave = system == 1 ? advect : -advect;
        lhs[c][b] = lhs[c][0];
        RECORD(R(lhs, c, 0), W(lhs, c, b));
        lhs[c][b + 1] = lhs[c][1] - wave * speed[c - s];
        RECORD(R(lhs, c, 1), R(speed, c - s), W(lhs, c, b + 1));
        lhs[c][b + 2] = lhs[c][2];
        RECORD(R(lhs, c, 2), W(lhs, c, b + 2));
        lhs[c][b + 3] = lhs[c][3] + wave * speed[c + s];
        RECORD(R(lhs, c, 3), R(speed, c + s), W(lhs, c, b + 3));
        lhs[c][b + 4] = lhs[c][4];
        RECORD(R(lhs, c, 4), W(lhs, c, b + 4));
    }
}

static void left_sides(int start, int d)
{
    double *v = velocity(d);
    for (int l = 0; l < n; l++) {
        int c = start + l * stride[d];
        cv[l] = v[c];
        RECORD(R(v, c), W(cv, l));
        rhon[l] = diffuse * (1 + 0.1 * rho_i[c]);
        RECORD(R(rho_i, c), W(rhon, l));
        rhos[l] = rhon[l];
        RECORD(R(rhon, l), W(rhos, l));
        rhoq[l] = rhon[l];
        RECORD(R(rhon, l), W(rhoq, l));
    }
    end_row(start);
    for (int l = 1; l < n - 1; l++)
        inner_row(start + l * stride[d], stride[d], l);
    end_row(start + (n - 1) * stride[d]);
}

// Subtracts row c from row r, where it is band `b`.
static void take_off(int c, int r, int b, int system)
{
    int base = system * BANDS;
    lhs[r][base + b + 1] = lhs[r][base + b + 1] - lhs[r][base + b] * lhs[c][base + 3];
    RECORD(R(lhs, r, base + b + 1), R(lhs, r, base + b), R(lhs, c, base + 3), W(lhs, r, base + b + 1));
    lhs[r][base + b + 2] = lhs[r][base + b + 2] - lhs[r][base + b] * lhs[c][base + 4];
    RECORD(R(lhs, r, base + b + 2), R(lhs, r, base + b), R(lhs, c, base + 4), W(lhs, r, base + b + 2));
    for (int m = first_field[system]; m < first_field[system + 1]; m++) {
        rhs[r][m] = rhs[r][m] - lhs[r][base + b] * rhs[c][m];
        RECORD(R(rhs, r, m), R(lhs, r, base + b), R(rhs, c, m), W(rhs, r, m));
    }
}

static void eliminate(int start, int s, int system)
{
    int base = system * BANDS;
    for (int l = 0; l < n; l++) {
        int c = start + l * s;
        double factor = 1 / lhs[c][base + 2];
        RECORD(R(lhs, c, base + 2));
        for (int b = base + 3; b <= base + 4; b++) {
            lhs[c][b] = lhs[c][b] * factor;
            RECORD(R(lhs, c, b), W(lhs, c, b));
        }
        for (int m = first_field[system]; m < first_field[system + 1]; m++) {
            rhs[c][m] = rhs[c][m] * factor;
            RECORD(R(rhs, c, m), W(rhs, c, m));
        }
        if (l + 1 < n)
            take_off(c, c + s, 1, system);
        if (l + 2 < n)
            take_off(c, c + 2 * s, 0, system);
    }
}

static void substitute(int start, int s, int system)
{
    int base = system * BANDS, last = start + (n - 2) * s;
    for (int m = first_field[system]; m < first_field[system + 1]; m++) {
        rhs[last][m] = rhs[last][m] - lhs[last][base + 3] * rhs[last + s][m];
        RECORD(R(rhs, last, m), R(lhs, last, base + 3), R(rhs, last + s, m), W(rhs, last, m));
    }
    for (int c = last - s; c >= start; c -= s)
        for (int m = first_field[system]; m < first_field[system + 1]; m++) {
            rhs[c][m] = rhs[c][m] - lhs[c][base + 3] * rhs[c + s][m] - lhs[c][base + 4] * rhs[c + 2 * s][m];
            RECORD(R(rhs, c, m), R(lhs, c, base + 3), R(rhs, c + s, m), R(lhs, c, base + 4),
                   R(rhs, c + 2 * s, m), W(rhs, c, m));
        }
}

// Each stage processes all lines of the direction before the next stage begins.
static void solve(int d)
{
    int p = stride[d == 0 ? 1 : 0], q = stride[d == 2 ? 1 : 2];
    for (int stage = 0; stage < 1 + 2 * SYSTEMS; stage++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++) {
                int start = i * p + j * q;
                if (stage == 0)
                    left_sides(start, d);
                else if (stage <= SYSTEMS)
                    eliminate(start, stride[d], stage - 1);
                else
                    substitute(start, stride[d], stage - SYSTEMS - 1);
            }
}

static void add(void)
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            for (int k = 1; k < n - 1; k++)
                for (int m = 0; m < FIELDS; m++) {
                    int c = (i * n + j) * n + k;
                    u[c][m] = u[c][m] + rhs[c][m];
                    RECORD(R(u, c, m), R(rhs, c, m), W(u, c, m));
                }
}

// The distance of u from the steady state.
static double distance(double *checksum)
{
    double sum = 0;
    *checksum = 0;
    for (int c = 0; c < points; c++)
        for (int m = 0; m < FIELDS; m++) {
            sum += (u[c][m] - steady(c, m)) * (u[c][m] - steady(c, m));
            *checksum += (m + 1) * u[c][m];
        }
    return sqrt(sum);
}

static void allocate(void)
{
    size_t count = (size_t)points, line = (size_t)n;
    ARRAY(u, FIELDS * count), ARRAY(rhs, FIELDS * count), ARRAY(forcing, FIELDS * count);
    ARRAY(lhs, SYSTEMS * BANDS * count);
    ARRAY(us, count), ARRAY(vs, count), ARRAY(ws, count), ARRAY(qs, count), ARRAY(rho_i, count);
    ARRAY(speed, count), ARRAY(square, count);
    ARRAY(cv, line), ARRAY(rhon, line), ARRAY(rhos, line), ARRAY(rhoq, line);
}

int main(int argc, char **argv)
{
    n = argument(argc, argv, 1, 18, 5);
    int iterations = argument(argc, argv, 2, 1, 1);
    points = n * n * n;
    stride[0] = n * n, stride[1] = n, stride[2] = 1;
    allocate();
    begin();
    right_sides();
    disturb();
    double checksum, before = distance(&checksum);
    for (int round = 0; round < iterations; round++) {
        right_sides();
        for (int d = 0; d < DIRECTIONS; d++)
            solve(d);
        add();
    }
    double after = distance(&checksum);
    return verdict("sp", n, iterations, checksum, after / before, 0.9);
}
