// SPDX-License-Identifier: MIT
// Alternating direction implicit integration: for the n lines of each direction,
// forward elimination in x of tridiagonal systems with diagonal b and
// off-diagonals a; then x is divided by the pivots.
//     adi [SIZE [ITERATIONS]]
// 26n² - 14n references to 3n² elements in an iteration.
#include "annotate.h"

enum { DIAGONAL = 4, SIDE_VALUE = 1 };

static void begin(int n, double x[n][n], double a[n][n], double b[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            x[i][j] = 1;
            RECORD(W(x, i, j));
            a[i][j] = -1;
            RECORD(W(a, i, j));
            b[i][j] = DIAGONAL;
            RECORD(W(b, i, j));
        }
}

// Each column in turn, from top to bottom.
static void down_columns(int n, double x[n][n], double a[n][n], double b[n][n])
{
    for (int j = 0; j < n; j++) {
        x[0][j] = x[0][j] - a[0][j] * SIDE_VALUE;
        RECORD(R(x, 0, j), R(a, 0, j), W(x, 0, j));
        for (int i = 1; i < n; i++) {
            x[i][j] = x[i][j] - x[i - 1][j] * a[i][j] / b[i - 1][j];
            RECORD(R(x, i, j), R(x, i - 1, j), R(a, i, j), R(b, i - 1, j), W(x, i, j));
            b[i][j] = b[i][j] - a[i][j] * a[i][j] / b[i - 1][j];
            RECORD(R(b, i, j), R(a, i, j), R(a, i, j), R(b, i - 1, j), W(b, i, j));
        }
    }
}

// All rows at once, from left to right.
static void along_rows(int n, double x[n][n], double a[n][n], double b[n][n])
{
    for (int i = 0; i < n; i++) {
        x[i][0] = x[i][0] - a[i][0] * SIDE_VALUE;
        RECORD(R(x, i, 0), R(a, i, 0), W(x, i, 0));
    }
    for (int j = 1; j < n; j++)
        for (int i = 0; i < n; i++) {
            x[i][j] = x[i][j] - x[i][j - 1] * a[i][j] / b[i][j - 1];
            RECORD(R(x, i, j), R(x, i, j - 1), R(a, i, j), R(b, i, j - 1), W(x, i, j));
            b[i][j] = b[i][j] - a[i][j] * a[i][j] / b[i][j - 1];
            RECORD(R(b, i, j), R(a, i, j), R(a, i, j), R(b, i, j - 1), W(b, i, j));
        }
}

static void divide(int n, double x[n][n], double b[n][n])
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            x[i][j] = x[i][j] / b[i][j];
            RECORD(R(x, i, j), R(b, i, j), W(x, i, j));
        }
}

// With a constant diagonal d = 2 cosh t and off-diagonals -1, the pivot k is
// sinh (k+1)t / sinh kt, and a constant right side r that begins with r + 1
// becomes (sinh t + r (sinh t + ... + sinh kt)) / sinh kt. Everything here
// is multiplied by 2 exp -kt.
static double pivot(double d, int k)
{
    double t = acosh(d / 2);
    return (exp(t) - exp(-(2 * k + 1) * t)) / (1 - exp(-2 * k * t));
}

static double eliminated(double d, double r, int k)
{
    double t = acosh(d / 2);
    double sum = (exp(t / 2) + exp(-(2 * k + 0.5) * t) - 2 * cosh(t / 2) * exp(-k * t)) / (2 * sinh(t / 2));
    return (2 * sinh(t) * exp(-k * t) + r * sum) / (1 - exp(-2 * k * t));
}

// The largest relative difference from the closed form.
static double check(int n, double x[n][n], double *checksum)
{
    double error = 0;
    for (int i = 0; i < n; i++) {
        double d = pivot(DIAGONAL, i + 1), r = eliminated(DIAGONAL, 1, i + 1);
        for (int j = 0; j < n; j++) {
            double right = eliminated(d, r, j + 1) / pivot(d, j + 1);
            error = fmax(error, isnan(x[i][j]) ? INFINITY : fabs(x[i][j] / right - 1));
            *checksum += x[i][j] * (1 + (i + 2 * j) % 3);
        }
    }
    return error;
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 100, 2), iterations = argument(argc, argv, 2, 1, 1);
    size_t count = (size_t)n * (size_t)n;
    double(*x)[n], (*a)[n], (*b)[n];
    ARRAY(x, count);
    ARRAY(a, count);
    ARRAY(b, count);
    for (int round = 0; round < iterations; round++) {
        begin(n, x, a, b);
        down_columns(n, x, a, b);
        along_rows(n, x, a, b);
        divide(n, x, b);
    }
    double checksum = 0, error = check(n, x, &checksum);
    return verdict("adi", n, iterations, checksum, error, 1e-11);
}
