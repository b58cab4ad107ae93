// SPDX-License-Identifier: MIT
// C++ atomic objects, shared pointers, and static variables that threads initialize
// concurrently. Exit status 0: the results are right.
#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

static std::atomic<int> made{0}, ended{0};
static std::atomic<double> sum{0};
static std::once_flag once;
static long guarded;
static std::mutex mutex;

struct counted {
    int value = 1;
    counted()
    {
        made++;
    }
    ~counted()
    {
        ended++;
    }
};

static counted &only()
{
    static counted it;
    return it;
}

int main()
{
    auto shared = std::make_shared<counted>();
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([shared] {
            for (int j = 0; j < 300; j++) {
                std::shared_ptr<counted> mine = shared;
                double seen = sum.load();
                while (!sum.compare_exchange_weak(seen, seen + mine->value))
                    continue;
                std::lock_guard<std::mutex> hold(mutex);
                guarded += only().value;
            }
            std::call_once(once, [] { made += 100; });
        });
    for (auto &thread : threads)
        thread.join();
    shared.reset();
    bool good = made == 102 && ended == 1 && sum == 1200 && guarded == 1200;
    std::printf("%s\n", good ? "right" : "wrong");
    return !good;
}
