// SPDX-License-Identifier: MIT
// Statements whose elements can be counted by hand, one per line.
enum { N = 50, DEEP = 20 };

static double a[N], b[N], c[N], weight[DEEP + 1];
static long counter;

static double twice(double x)
{
    return x + x; // [twice]
}

static double fold(int n)
{
    if (n == 0)
        return 0;
    return weight[n] + fold(n - 1) + weight[n]; // [fold]
}

static void scale(void)
{
    for (int i = 0; i < N; i++) // [header]
        a[i] = a[i] * 0.2;      // [scale]
}

static void mix(void)
{
    for (int i = 0; i < N; i++) {
        b[i] = a[i] + c[i] + a[i]; // [mix]
        b[i] = twice(a[i]) + a[i]; // [call]
        c[i] = twice(b[i]);        // [assign]
        counter++;                 // [count]
        counter = counter + 2;     // [count again]
    }
}

int main(void)
{
    scale();
    mix();
    weight[0] = fold(DEEP);
    return counter != 3 * N;
}
