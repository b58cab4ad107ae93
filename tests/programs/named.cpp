// SPDX-License-Identifier: MIT
// Functions whose complete names are long, and functions and data with equal names.
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace
{

template <typename T> struct Table {
    std::map<T, std::vector<T>> rows;
    __attribute__((noinline)) long sum(const T &key, long times)
    {
        long all = 0;
        for (long i = 0; i < times; i++)
            for (const T &value : rows[key])
                all += static_cast<long>(value);
        return all;
    }
    __attribute__((noinline)) bool operator<(const Table &other) const
    {
        return rows.size() < other.rows.size();
    }
};

__attribute__((noinline)) long overloaded(const std::vector<int> &values)
{
    long all = 0;
    for (int value : values)
        all += value;
    return all;
}

__attribute__((noinline)) long overloaded(const std::vector<long> &values)
{
    long all = 0;
    for (long value : values)
        all += value;
    return all;
}

} // namespace

int main()
{
    Table<int> table, other;
    for (int i = 0; i < 100; i++)
        table.rows[i % 10].push_back(i);
    std::vector<int> ints(1000, 1);
    std::vector<long> longs(1000, 2);
    auto last = [&](int n) __attribute__((noinline))
    {
        return ints[static_cast<std::size_t>(n)] + n;
    };
    long all = overloaded(ints) + overloaded(longs) + table.sum(3, 50) + (other < table);
    for (int i = 0; i < 500; i++)
        all += last(i);
    std::printf("%ld\n", all);
    return 0;
}
