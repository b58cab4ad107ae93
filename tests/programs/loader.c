// SPDX-License-Identifier: MIT
// Opens a shared object at run time, uses it, closes it, and opens it again.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    long sum = 0;
    for (int i = 0; argc > 1 && i < 3; i++) {
        void *plugin = dlopen(argv[1], RTLD_NOW);
        if (!plugin) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        long (*work)(void) = (long (*)(void))dlsym(plugin, "plugin_work");
        sum += work();
        dlclose(plugin);
    }
    printf("%ld\n", sum);
    return 0;
}
