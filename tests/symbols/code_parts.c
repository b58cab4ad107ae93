// SPDX-License-Identifier: MIT
// A function of which the compiler moves a part away, into "checked.cold".
#include <stdio.h>
#include <stdlib.h>

volatile int limit = 10;

__attribute__((noinline, cold)) static void complain(int n)
{
    printf("%d\n", n);
}

__attribute__((noinline)) int checked(const int *from, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) { // MARK checked
        if (from[i] < 0) {
            complain(from[i]); // MARK checked.rare
            complain(limit);
            sum = -sum; // MARK checked.rare.end
        }
        sum += from[i] * limit; // MARK checked.end
    }
    return sum;
}

int main(int argc, char **argv)
{
    int from[4] = {argc, argc + 1, argc + 2, (int)argv[0][0]};
    return checked(from, 4) == 0;
}
