// SPDX-License-Identifier: MIT
// Heap blocks from every allocation function; `fill` fills each.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <new>
#include <sys/mman.h>
#include <vector>

enum { ELEMENTS = 100 };
static const std::size_t BYTES = ELEMENTS * sizeof(long);

struct alignas(64) aligned {
    long cells[ELEMENTS];
};

static __attribute__((noinline)) void fill(void *memory)
{
    volatile long *cells = static_cast<long *>(memory);
    for (int i = 0; i < ELEMENTS; i++)
        cells[i] = i;
}

static void of_c()
{
    void *block = nullptr;
    fill(block = std::malloc(BYTES));             // [malloc]
    fill(block = std::realloc(block, 2 * BYTES)); // [realloc]
    std::free(block);
    fill(block = std::calloc(ELEMENTS, sizeof(long)));             // [calloc]
    fill(block = reallocarray(block, ELEMENTS, 2 * sizeof(long))); // [reallocarray]
    std::free(block);
    if (posix_memalign(&block, 128, BYTES) == 0) // [posix_memalign]
        fill(block);
    std::free(block);
    fill(block = aligned_alloc(64, 1024)); // [aligned_alloc]
    std::free(block);
    fill(block = memalign(64, BYTES)); // [memalign]
    std::free(block);
    fill(block = valloc(BYTES)); // [valloc]
    std::free(block);
}

static void of_cxx()
{
    long *many = new long[ELEMENTS]; // [new array]
    fill(many);
    delete[] many;
    aligned *one = new aligned; // [new aligned]
    fill(one);
    delete one;
    long *tried = new (std::nothrow) long[ELEMENTS]; // [new nothrow]
    fill(tried);
    delete[] tried;
    void *raw = ::operator new(BYTES); // [operator new]
    fill(raw);
    ::operator delete(raw);
    std::vector<long> vector(ELEMENTS); // [vector]
    fill(vector.data());
}

int main()
{
    of_c();
    of_cxx();
    void *mapped = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); // [mmap]
    fill(mapped);
    munmap(mapped, 4096);
    std::puts("filled");
    return 0;
}
