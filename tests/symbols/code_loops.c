// SPDX-License-Identifier: MIT
// Functions whose loops are known. Lines that a test asks for bear a MARK.
int sink[1000];
volatile int limit = 10;

__attribute__((noinline)) void triple(int n)
{
    for (int i = 0; i < n; i++) { // MARK triple.1
        sink[i] = 1;
        for (int j = 0; j < n; j++) { // MARK triple.2
            sink[j] += 2;
            for (int k = 0; k < n; k++) { // MARK triple.3
                sink[k] += i * j;         // MARK triple.3.end
            }
            sink[j] ^= 3; // MARK triple.2.end
        }
        sink[i] |= 4; // MARK triple.1.end
    }
}

__attribute__((noinline)) int with_break(int n)
{
    int found = 0;
    while (n > 0) { // MARK with_break
        if (sink[n] == 7)
            break;
        n -= limit;
        found++; // MARK with_break.end
    }
    return found;
}

__attribute__((noinline)) int do_while(int n)
{
    int sum = 0;
    do {
        sum += sink[n]; // MARK do_while
        n -= limit;
    } while (n > 0); // MARK do_while.end
    return sum;
}

// Two entries into one cycle.
__attribute__((noinline)) int irreducible(int n)
{
    int sum = 0;
    if (n & limit)
        goto second;
first:
    sum += limit; // MARK irreducible
second:
    sum ^= limit;
    if (sum < n)
        goto first; // MARK irreducible.end
    return sum;
}

__attribute__((noinline)) int switched(const char *text)
{
    int sum = 0;
    for (; *text; text++) { // MARK switched
        switch (*text) {
        case 'a':
            sum += 1;
            break;
        case 'b':
            sum ^= limit;
            break;
        case 'c':
            sum -= limit;
            break;
        case 'd':
            sum *= 3;
            break;
        case 'e':
            for (int i = 0; i < limit; i++) // MARK switched.inner
                sum += sink[i];             // MARK switched.inner.end
            break;
        case 'f':
            sum /= limit;
            break;
        case 'g':
            sum |= limit; // MARK switched.case
            break;
        default:
            sum--; // MARK switched.end
        }
    } // MARK switched.close
    return sum;
}

__attribute__((noinline)) void in_sequence(int n)
{
    for (int i = 0; i < n; i++) // MARK sequence.1
        sink[i] = limit;        // MARK sequence.1.end
    for (int i = 0; i < n; i++) // MARK sequence.2
        sink[i] ^= limit;       // MARK sequence.2.end
}

static inline __attribute__((always_inline)) int sum_of(const int *from, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) // MARK sum_of
        sum += from[i] ^ limit; // MARK sum_of.end
    return sum;
}

__attribute__((noinline)) int inlines(int n)
{
    int sum = sum_of(sink, n); // MARK inlines.alone
    while (n-- > limit) {      // MARK inlines.loop
        sum ^= limit;
        sum += sum_of(sink + n, limit); // MARK inlines.loop.end
    }
    return sum;
}

__attribute__((noinline)) int straight(int n)
{
    return n > limit ? sink[n] : sink[0];
}

int computed(const unsigned char *program)
{
    static const void *const to[] = {&&stop, &&add, &&take};
    int sum = 0;
    goto *to[*program++];
add:
    sum += limit; // MARK computed
    goto *to[*program++];
take:
    sum -= limit; // MARK computed.end
    goto *to[*program++];
stop:
    return sum;
}

int main(int argc, char **argv)
{
    triple(argc + limit);
    in_sequence(argc);
    static const unsigned char program[] = {1, 2, 1, 0};
    return (with_break(argc) + do_while(argc) + irreducible(argc) + switched(argv[0]) + inlines(argc) +
            straight(argc) + computed(program)) &
           1;
}
