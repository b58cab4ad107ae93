// SPDX-License-Identifier: MIT
// Mesh generation: the points (x, y) of an n × n mesh are moved until its lines
// are smooth (Thompson's equations). Each iteration has the residuals, their
// maximum, a tridiagonal system for every line, and the step.
//     tomcatv [SIZE [ITERATIONS]]
#include "annotate.h"

static const double relax = 1;

// A square whose right side is bent; the points inside are displaced.
static void begin(int n, double x[n][n], double y[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double s = (double)i / (n - 1), t = (double)j / (n - 1);
            int inner = i > 0 && i < n - 1 && j > 0 && j < n - 1;
            double off = inner ? ((i * 7 + j * 3) % 5 - 2) * 0.1 / (n - 1) : 0;
            x[i][j] = t + 0.1 * t * sin(M_PI * s) + off;
            RECORD(W(x, i, j));
            y[i][j] = s - off;
            RECORD(W(y, i, j));
        }
}

static void residuals(int n, double x[n][n], double y[n][n], double aa[n][n], double dd[n][n],
                      double rx[n][n], double ry[n][n])
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++) {
            double xx = x[i][j + 1] - x[i][j - 1];
            RECORD(R(x, i, j + 1), R(x, i, j - 1));
            double yx = y[i][j + 1] - y[i][j - 1];
            RECORD(R(y, i, j + 1), R(y, i, j - 1));
            double xy = x[i + 1][j] - x[i - 1][j];
            RECORD(R(x, i + 1, j), R(x, i - 1, j));
            double yy = y[i + 1][j] - y[i - 1][j];
            RECORD(R(y, i + 1, j), R(y, i - 1, j));
            double a = 0.25 * (xy * xy + yy * yy), b = 0.25 * (xx * xx + yx * yx);
            double c = 0.125 * (xx * xy + yx * yy);
            aa[i][j] = -b;
            RECORD(W(aa, i, j));
            dd[i][j] = b + b + a * 2 / relax;
            RECORD(W(dd, i, j));
            double pxx = x[i][j + 1] - 2 * x[i][j] + x[i][j - 1];
            RECORD(R(x, i, j + 1), R(x, i, j), R(x, i, j - 1));
            double qxx = y[i][j + 1] - 2 * y[i][j] + y[i][j - 1];
            RECORD(R(y, i, j + 1), R(y, i, j), R(y, i, j - 1));
            double pyy = x[i + 1][j] - 2 * x[i][j] + x[i - 1][j];
            RECORD(R(x, i + 1, j), R(x, i, j), R(x, i - 1, j));
            double qyy = y[i + 1][j] - 2 * y[i][j] + y[i - 1][j];
            RECORD(R(y, i + 1, j), R(y, i, j), R(y, i - 1, j));
            double pxy = x[i + 1][j + 1] - x[i + 1][j - 1] - x[i - 1][j + 1] + x[i - 1][j - 1];
            RECORD(R(x, i + 1, j + 1), R(x, i + 1, j - 1), R(x, i - 1, j + 1), R(x, i - 1, j - 1));
            double qxy = y[i + 1][j + 1] - y[i + 1][j - 1] - y[i - 1][j + 1] + y[i - 1][j - 1];
            RECORD(R(y, i + 1, j + 1), R(y, i + 1, j - 1), R(y, i - 1, j + 1), R(y, i - 1, j - 1));
            rx[i][j] = a * pxx + b * pyy - c * pxy;
            RECORD(W(rx, i, j));
            ry[i][j] = a * qxx + b * qyy - c * qxy;
            RECORD(W(ry, i, j));
        }
}

static double largest(int n, double rx[n][n], double ry[n][n])
{
    double most = 0;
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++) {
            most = fmax(most, isnan(rx[i][j]) ? INFINITY : fabs(rx[i][j]));
            RECORD(R(rx, i, j));
            most = fmax(most, isnan(ry[i][j]) ? INFINITY : fabs(ry[i][j]));
            RECORD(R(ry, i, j));
        }
    return most;
}

// Elimination from line to line, then substitution back: dd is the diagonal, aa the off-diagonal.
static void solve(int n, double aa[n][n], double dd[n][n], double d[n][n], double rx[n][n], double ry[n][n])
{
    for (int j = 1; j < n - 1; j++) {
        d[1][j] = 1 / dd[1][j];
        RECORD(R(dd, 1, j), W(d, 1, j));
    }
    for (int i = 2; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++) {
            double r = aa[i][j] * d[i - 1][j];
            RECORD(R(aa, i, j), R(d, i - 1, j));
            d[i][j] = 1 / (dd[i][j] - aa[i - 1][j] * r);
            RECORD(R(dd, i, j), R(aa, i - 1, j), W(d, i, j));
            rx[i][j] = rx[i][j] - rx[i - 1][j] * r;
            RECORD(R(rx, i, j), R(rx, i - 1, j), W(rx, i, j));
            ry[i][j] = ry[i][j] - ry[i - 1][j] * r;
            RECORD(R(ry, i, j), R(ry, i - 1, j), W(ry, i, j));
        }
    for (int j = 1; j < n - 1; j++) {
        rx[n - 2][j] = rx[n - 2][j] * d[n - 2][j];
        RECORD(R(rx, n - 2, j), R(d, n - 2, j), W(rx, n - 2, j));
        ry[n - 2][j] = ry[n - 2][j] * d[n - 2][j];
        RECORD(R(ry, n - 2, j), R(d, n - 2, j), W(ry, n - 2, j));
    }
    for (int i = n - 3; i >= 1; i--)
        for (int j = 1; j < n - 1; j++) {
            rx[i][j] = (rx[i][j] - aa[i][j] * rx[i + 1][j]) * d[i][j];
            RECORD(R(rx, i, j), R(aa, i, j), R(rx, i + 1, j), R(d, i, j), W(rx, i, j));
            ry[i][j] = (ry[i][j] - aa[i][j] * ry[i + 1][j]) * d[i][j];
            RECORD(R(ry, i, j), R(aa, i, j), R(ry, i + 1, j), R(d, i, j), W(ry, i, j));
        }
}

static void step(int n, double x[n][n], double y[n][n], double rx[n][n], double ry[n][n])
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++) {
            x[i][j] = x[i][j] + rx[i][j];
            RECORD(R(x, i, j), R(rx, i, j), W(x, i, j));
            y[i][j] = y[i][j] + ry[i][j];
            RECORD(R(y, i, j), R(ry, i, j), W(y, i, j));
        }
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 150, 4), iterations = argument(argc, argv, 2, 5, 2);
    size_t count = (size_t)n * (size_t)n;
    double(*x)[n], (*y)[n], (*aa)[n], (*dd)[n], (*d)[n], (*rx)[n], (*ry)[n];
    double first = 0, last = 0, falls = 1, checksum = 0;
    ARRAY(x, count);
    ARRAY(y, count);
    ARRAY(aa, count);
    ARRAY(dd, count);
    ARRAY(d, count);
    ARRAY(rx, count);
    ARRAY(ry, count);
    begin(n, x, y);
    for (int round = 0; round < iterations; round++) {
        residuals(n, x, y, aa, dd, rx, ry);
        double most = largest(n, rx, ry);
        falls = round == 0 || most < last ? falls : INFINITY; // each residual is smaller than the one before
        first = round == 0 ? most : first;
        last = most;
        solve(n, aa, dd, d, rx, ry);
        step(n, x, y, rx, ry);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            checksum += x[i][j] + 2 * y[i][j];
    return verdict("tomcatv", n, iterations, checksum, falls * last / first, 0.5);
}
