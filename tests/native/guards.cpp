// SPDX-License-Identifier: MIT
// Threads share a local static variable, which one of them initializes. Two of them also hand over a cell, in
// a way that only annotations for ThreadSanitizer describe. Prints the address and size of what they share.
#include <cstdio>
#include <thread>
#include <unistd.h>
#include <vector>

extern "C" void __tsan_acquire(void *), __tsan_release(void *);

static volatile long cells[4];

struct filled {
    filled()
    {
        for (int i = 0; i < 3; i++)
            cells[i] = i + 1;
    }
};

static long sum()
{
    static filled all;
    return cells[0] + cells[1] + cells[2];
}

int main()
{
    int ends[2];
    long good = 0;
    char byte = 0;
    if (pipe(ends) != 0)
        return 2;
    std::thread writer([&] {
        cells[3] = 7;
        __tsan_release(ends);
        if (write(ends[1], &byte, 1) != 1)
            cells[3] = 8;
    });
    std::thread reader([&] {
        char got;
        if (read(ends[0], &got, 1) == 1) {
            __tsan_acquire(ends);
            good += cells[3] == 7;
        }
    });
    std::vector<std::thread> users;
    for (int i = 0; i < 4; i++)
        users.emplace_back([] {
            for (int k = 0; k < 10; k++)
                if (sum() != 6)
                    cells[3] = 0;
        });
    for (auto &user : users)
        user.join();
    writer.join();
    reader.join();
    std::printf("%lx %zu\n", (unsigned long)cells, sizeof cells);
    return good != 1;
}
