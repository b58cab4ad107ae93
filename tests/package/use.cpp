// SPDX-License-Identifier: MIT
#include <deja/deja.h>

#include <iostream>
#include <vector>

int main()
{
    const std::vector<uint64_t> keys = {7, 7, 8, 7};
    const std::vector<uint64_t> expected = {DJ_COLD, 0, DJ_COLD, 1};
    std::vector<uint64_t> distances(keys.size());
    dj_context *context = nullptr;
    if (dj_context_create(&context) != DJ_OK)
        return 1;
    int err = dj_distances(context, dj_engine_find("stack"), keys.data(), keys.size(), distances.data());
    dj_context_destroy(context);
    bool good = err == DJ_OK && distances == expected;
    std::cout << "deja " << DJ_VERSION << ": " << (good ? "good" : "wrong") << '\n';
    return good ? 0 : 1;
}
