// SPDX-License-Identifier: MIT
// Nests that compilers rearrange, unroll and turn into vectors.
enum { N = 512 };
double a[N][N], b[N][N], c[N][N];

void stencil(int steps)
{
    for (int t = 0; t < steps; t++) { // MARK stencil
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                b[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                a[i][j] = b[i][j] * 2; // MARK stencil.end
    }
}

void product(int n)
{
    for (int i = 0; i < n; i++) // MARK product
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum; // MARK product.end
        }
}

int main(int argc, char **argv)
{
    (void)argv;
    stencil(argc);
    product(argc);
    return 0;
}
