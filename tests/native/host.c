// SPDX-License-Identifier: MIT
// host PLUGIN…: loads plugins, calls them and unloads them. Each plugin fills memory
// from malloc. A name without a slash is looked up in the program's own search path.
// test_loading.py needs accesses on other lines than those of plug.c.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **names)
{
    for (int round = 0; round < 2; round++)
        for (int i = 1; i < count; i++) {
            void *plugin = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
            long *(*fill)(long) = plugin ? (long *(*)(long))dlsym(plugin, "fill") : NULL;
            if (!fill) {
                printf("%s\n", dlerror());
                return 1;
            }
            long *cells = fill(100 + i);
            printf("%ld\n", cells[100]);
            free(cells);
            if (dlclose(plugin) != 0)
                return 1;
        }
    return 0;
}
