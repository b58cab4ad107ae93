// SPDX-License-Identifier: MIT
// Fourier transform of n × n complex numbers by rows and columns, and its inverse.
//     fft [SIZE [ITERATIONS]], SIZE a power of two
// Each of the four passes of an iteration copies the other array's columns, in
// bit-reversed order, to its rows and transforms the rows in place. So
// there are 24n² log2 n + 24n² - 8n references in an iteration, and 2n² + 2n
// before the first, to 4n² + 2n elements.
#include "annotate.h"

enum { RE, IM, PARTS };

static double signal_at(int i, int j, int part)
{
    return ((i * 37 + j * 101 + part * 53) % 64 - 32) / 32.0;
}

// The n-th roots of unity. The inverse uses the second half.
static void begin(int n, double x[n][n][PARTS], double wr[n], double wi[n])
{
    for (int k = 0; k < n; k++) {
        wr[k] = cos(-2 * M_PI * k / n);
        RECORD(W(wr, k));
        wi[k] = sin(-2 * M_PI * k / n);
        RECORD(W(wi, k));
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            x[i][j][RE] = signal_at(i, j, RE);
            RECORD(W(x, i, j, RE));
            x[i][j][IM] = signal_at(i, j, IM);
            RECORD(W(x, i, j, IM));
        }
}

static int reversed(int index, int n)
{
    int result = 0;
    for (int bit = 1; bit < n; bit *= 2)
        result = 2 * result + ((index & bit) != 0);
    return result;
}

// Row i of `to` is column i of `from`, reordered and scaled.
static void gather(int n, int i, double scale, double from[n][n][PARTS], double to[n][n][PARTS])
{
    for (int j = 0; j < n; j++) {
        int r = reversed(j, n);
        to[i][r][RE] = from[j][i][RE] * scale;
        RECORD(R(from, j, i, RE), W(to, i, r, RE));
        to[i][r][IM] = from[j][i][IM] * scale;
        RECORD(R(from, j, i, IM), W(to, i, r, IM));
    }
}

static void butterfly(int n, int i, int p, int q, double re, double im, double y[n][n][PARTS])
{
    double tr = re * y[i][q][RE] - im * y[i][q][IM];
    RECORD(R(y, i, q, RE), R(y, i, q, IM));
    double ti = re * y[i][q][IM] + im * y[i][q][RE];
    RECORD(R(y, i, q, IM), R(y, i, q, RE));
    y[i][q][RE] = y[i][p][RE] - tr;
    RECORD(R(y, i, p, RE), W(y, i, q, RE));
    y[i][q][IM] = y[i][p][IM] - ti;
    RECORD(R(y, i, p, IM), W(y, i, q, IM));
    y[i][p][RE] = y[i][p][RE] + tr;
    RECORD(R(y, i, p, RE), W(y, i, p, RE));
    y[i][p][IM] = y[i][p][IM] + ti;
    RECORD(R(y, i, p, IM), W(y, i, p, IM));
}

static void transform_row(int n, int i, int back, double y[n][n][PARTS], double wr[n], double wi[n])
{
    for (int half = 1; half < n; half *= 2)
        for (int k = 0; k < half; k++) {
            int root = k * (n / 2 / half);
            if (back && root > 0)
                root = n - root;
            double re = wr[root], im = wi[root];
            RECORD(R(wr, root), R(wi, root));
            for (int p = k; p < n; p += 2 * half)
                butterfly(n, i, p, p + half, re, im, y);
        }
}

static void pass(int n, int back, double from[n][n][PARTS], double to[n][n][PARTS], double wr[n],
                 double wi[n])
{
    for (int i = 0; i < n; i++) {
        gather(n, i, back ? 1.0 / n : 1, from, to);
        transform_row(n, i, back, to, wr, wi);
    }
}

// Compares one coefficient of the transform, by its definition, with y's.
static double definition_error(int n, double x[n][n][PARTS], int u, int v)
{
    double re = 0, im = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double angle = -2 * M_PI * ((u * i + v * j) % n) / n;
            re += signal_at(i, j, RE) * cos(angle) - signal_at(i, j, IM) * sin(angle);
            im += signal_at(i, j, RE) * sin(angle) + signal_at(i, j, IM) * cos(angle);
        }
    return hypot(x[u][v][RE] - re, x[u][v][IM] - im) / n;
}

static double sum_of(int n, double x[n][n][PARTS])
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sum += fabs(x[i][j][RE]) + 2 * fabs(x[i][j][IM]);
    return sum;
}

static double way_back_error(int n, double x[n][n][PARTS])
{
    double error = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int part = RE; part < PARTS; part++)
                error = fmax(error,
                             isnan(x[i][j][part]) ? INFINITY : fabs(x[i][j][part] - signal_at(i, j, part)));
    return error;
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 64, 2), iterations = argument(argc, argv, 2, 1, 1);
    if ((n & (n - 1)) != 0) {
        fprintf(stderr, "fft: %d is no power of two\n", n);
        return 2;
    }
    size_t count = (size_t)n * (size_t)n * PARTS;
    double(*x)[n][PARTS], (*y)[n][PARTS], *wr, *wi, checksum = 0, error = 0;
    ARRAY(x, count);
    ARRAY(y, count);
    ARRAY(wr, (size_t)n);
    ARRAY(wi, (size_t)n);
    begin(n, x, wr, wi);
    for (int round = 0; round < iterations; round++) {
        pass(n, 0, x, y, wr, wi);
        pass(n, 0, y, x, wr, wi);
        checksum = sum_of(n, x);
        error = fmax(error, definition_error(n, x, n / 2, 1));
        pass(n, 1, x, y, wr, wi);
        pass(n, 1, y, x, wr, wi);
    }
    return verdict("fft", n, iterations, checksum, fmax(error, way_back_error(n, x)), 1e-11);
}
