// SPDX-License-Identifier: MIT
// Random lookups in a std::map: nodes of 48 bytes, allocated in the order of random insertions. A sorted
// array of the keys is a tenth of the size.
//
// object: heap map entries
// level: L2
// accept: pool split shrink
// reject: tile fuse recompute
// also: prefetch@heap
#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

int main()
{
    unsigned seed = 5;
    auto next = [&seed] { return (seed = seed * 1664525u + 1013904223u) >> 8; };
    const int entries = 6000, lookups = 40000;
    std::map<unsigned, unsigned> map;
    std::vector<unsigned> keys;
    for (int i = 0; i < entries; i++)
        map[next()] = (unsigned)i;
#ifdef FIXED
    for (const auto &entry : map)
        keys.push_back(entry.first);
#endif
    unsigned long sum = 0;
    for (int i = 0; i < lookups; i++) {
#ifndef FIXED
        auto found = map.lower_bound(next());
        sum = sum * 3 + (found == map.end() ? 1 : found->first);
#else
        auto found = std::lower_bound(keys.begin(), keys.end(), next());
        sum = sum * 3 + (found == keys.end() ? 1 : *found);
#endif
    }
    std::printf("%lu %zu\n", sum, map.size());
}
