// SPDX-License-Identifier: MIT
// Replaces CUDA's header when tests compile the CUDA sources for the processor; contains the parts of
// CUDA that these use. README.md lists what it can detect.
#ifndef DEJA_EMULATE_CUDA_RUNTIME_H
#define DEJA_EMULATE_CUDA_RUNTIME_H

#include "kernel.h"
#include "runtime.h"

#define DJ_LAUNCH(kernel, blocks, threads, stream, ...)                                                      \
    (emulated::launch(                                                                                       \
        #kernel, blocks, threads, stream, [=](auto... dj_arguments) { (kernel)(dj_arguments...); },          \
        __VA_ARGS__))

namespace emulated
{
template <class Body, class... Arguments>
void launch(const char *kernel, uint64_t blocks, unsigned threads, cudaStream_t stream, Body body,
            Arguments... arguments)
{
    if (blocks == 0 || blocks > INT32_MAX || threads == 0 || threads > THREADS)
        return set_last_error(cudaErrorInvalidConfiguration);
    if (cudaError_t error = called())
        return set_last_error(error);
    enqueue(stream, [=] {
        const auto all = [&] { body(arguments...); };
        run(
            kernel, static_cast<unsigned>(blocks), threads,
            [](const void *with) { (*static_cast<decltype(&all)>(with))(); }, &all);
    });
}
} // namespace emulated
#endif
