// SPDX-License-Identifier: MIT
#include "runtime.h"
#include "block.h"
#include "emulate.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>

namespace
{
enum : uint64_t { DEFAULT_MEMORY = UINT64_C(1) << 30, POISONED = 1 << 20 };

struct piece {
    size_t bytes;
    bool device, registered;
};

std::recursive_mutex lock;
typedef std::lock_guard<std::recursive_mutex> guard;
std::map<const char *, piece> pieces; // by address
uint64_t memory_bytes, used_bytes, calls, fail_at;
cudaError_t fail_error, last_error;
unsigned held;
bool absent;

uint64_t memory()
{
    if (!memory_bytes) {
        const char *set = getenv("DEJA_EMULATE_MEMORY");
        memory_bytes = set ? strtoull(set, nullptr, 10) : uint64_t{DEFAULT_MEMORY};
    }
    return memory_bytes;
}

// The allocation that contains the address, or NULL.
const piece *find(const void *at, size_t bytes)
{
    const char *address = static_cast<const char *>(at);
    auto next = pieces.upper_bound(address);
    if (next == pieces.begin())
        return nullptr;
    --next;
    size_t offset = static_cast<size_t>(address - next->first);
    if (offset >= next->second.bytes && !(offset == 0 && bytes == 0))
        return nullptr;
    if (bytes > next->second.bytes - offset)
        emulated::die("%zu bytes at %zu of a piece of %zu bytes", bytes, offset, next->second.bytes);
    return &next->second;
}

cudaError_t take(void **out, size_t bytes, bool device)
{
    guard locked(lock);
    *out = nullptr;
    if (cudaError_t error = emulated::called())
        return error;
    if (bytes == 0)
        return cudaSuccess;
    if (device && bytes > memory() - (used_bytes < memory() ? used_bytes : memory()))
        return last_error = cudaErrorMemoryAllocation;
    if (posix_memalign(out, 256, bytes) != 0)
        return last_error = cudaErrorMemoryAllocation;
    memset(*out, 0xa5, bytes < POISONED ? bytes : POISONED); // nothing may rely on zeros
    pieces[static_cast<char *>(*out)] = {bytes, device, false};
    used_bytes += device ? bytes : 0;
    held++;
    return cudaSuccess;
}

cudaError_t give_back(const char *what, void *at, bool device, bool registered)
{
    emulated::finish_all();
    guard locked(lock);
    cudaError_t error = emulated::called(); // released even then
    if (!at)
        return error;
    auto found = pieces.find(static_cast<char *>(at));
    if (found == pieces.end() || found->second.device != device || found->second.registered != registered)
        emulated::die("%s of what is no such memory", what);
    used_bytes -= device ? found->second.bytes : 0;
    held--;
    pieces.erase(found);
    if (!registered)
        free(at);
    return error;
}

void check_side(const char *what, const void *at, size_t bytes, bool device)
{
    guard locked(lock);
    const piece *p = find(at, bytes);
    if ((p && p->device) != device)
        emulated::die("%s: %p is %smemory of the device", what, at, device ? "no " : "");
}

void check_copy(const void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    if (bytes == 0 || kind == cudaMemcpyDefault)
        return;
    check_side("copy to", to, bytes, kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice);
    check_side("copy from", from, bytes, kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice);
}
} // namespace

namespace emulated
{
cudaError_t called()
{
    guard locked(lock);
    if (++calls != fail_at)
        return cudaSuccess;
    return last_error = fail_error;
}

void set_last_error(cudaError_t error)
{
    guard locked(lock);
    last_error = error;
}

void hold(int more)
{
    guard locked(lock);
    held += static_cast<unsigned>(more);
}

void must_be_device(const char *what, const void *at, size_t bytes)
{
    if (bytes)
        check_side(what, at, bytes, true);
}
} // namespace emulated

using emulated::called;

void dj_emulated_absent(bool value)
{
    guard locked(lock);
    absent = value;
}

void dj_emulated_memory(uint64_t bytes)
{
    guard locked(lock);
    memory_bytes = bytes;
}

uint64_t dj_emulated_used(void)
{
    guard locked(lock);
    return used_bytes;
}

unsigned dj_emulated_held(void)
{
    guard locked(lock);
    return held;
}

uint64_t dj_emulated_calls(void)
{
    guard locked(lock);
    return calls;
}

void dj_emulated_fail(uint64_t after, int error)
{
    guard locked(lock);
    fail_at = error ? calls + after + 1 : 0;
    fail_error = static_cast<cudaError_t>(error);
}

const char *cudaGetErrorName(cudaError_t error)
{
    switch (error) {
    case cudaSuccess:
        return "cudaSuccess";
    case cudaErrorMemoryAllocation:
        return "cudaErrorMemoryAllocation";
    case cudaErrorNoDevice:
        return "cudaErrorNoDevice";
    default:
        return "cudaErrorOther";
    }
}

const char *cudaGetErrorString(cudaError_t error)
{
    switch (error) {
    case cudaSuccess:
        return "no error";
    case cudaErrorMemoryAllocation:
        return "out of memory";
    case cudaErrorNoDevice:
        return "no CUDA-capable device is detected";
    default:
        return "an error that a test asked for";
    }
}

cudaError_t cudaPeekAtLastError()
{
    guard locked(lock);
    return last_error;
}

cudaError_t cudaGetLastError()
{
    guard locked(lock);
    cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = 13000;
    return called();
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = 13000;
    return called();
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = absent ? 0 : 1;
    cudaError_t error = called();
    return absent ? cudaErrorNoDevice : error;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return called();
}

cudaError_t cudaSetDevice(int device)
{
    cudaError_t error = called();
    if (absent || device != 0)
        return absent ? cudaErrorNoDevice : cudaErrorInvalidValue;
    return error;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device)
{
    *p = cudaDeviceProp();
    snprintf(p->name, sizeof p->name, "emulated");
    p->totalGlobalMem = memory();
    p->sharedMemPerBlock = 48 << 10;
    p->sharedMemPerMultiprocessor = 64 << 10;
    p->major = 7;
    p->multiProcessorCount = 2;
    p->maxThreadsPerBlock = emulated::THREADS;
    p->maxThreadsPerMultiProcessor = 2048;
    p->warpSize = emulated::WARP;
    p->l2CacheSize = 1 << 20;
    return device == 0 && !absent ? called() : cudaErrorInvalidValue;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device)
{
    cudaDeviceProp p;
    cudaError_t error = cudaGetDeviceProperties(&p, device);
    *value = attribute == cudaDevAttrMultiProcessorCount      ? p.multiProcessorCount
             : attribute == cudaDevAttrL2CacheSize            ? p.l2CacheSize
             : attribute == cudaDevAttrComputeCapabilityMajor ? p.major
                                                              : p.minor;
    return error;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *bytes)
{
    guard locked(lock);
    *bytes = memory();
    *free_bytes = used_bytes < *bytes ? *bytes - used_bytes : 0;
    return called();
}

cudaError_t cudaMalloc(void **out, size_t bytes)
{
    return take(out, bytes, true);
}

cudaError_t cudaFree(void *at)
{
    return give_back("cudaFree", at, true, false);
}

cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned)
{
    return take(out, bytes, false);
}

cudaError_t cudaFreeHost(void *at)
{
    return give_back("cudaFreeHost", at, false, false);
}

cudaError_t cudaHostRegister(void *at, size_t bytes, unsigned)
{
    guard locked(lock);
    if (cudaError_t error = called())
        return error;
    pieces[static_cast<char *>(at)] = {bytes, false, true};
    held++;
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *at)
{
    return give_back("cudaHostUnregister", at, false, true);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *at)
{
    guard locked(lock);
    const piece *p = find(at, 1);
    void *same = const_cast<void *>(at);
    attributes->type = !p          ? cudaMemoryTypeUnregistered
                       : p->device ? cudaMemoryTypeDevice
                                   : cudaMemoryTypeHost;
    attributes->device = 0;
    attributes->devicePointer = p ? same : nullptr;
    attributes->hostPointer = p && p->device ? nullptr : same;
    return called();
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    cudaError_t error = cudaMemcpyAsync(to, from, bytes, kind, nullptr);
    return error ? error : cudaDeviceSynchronize();
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    check_copy(to, from, bytes, kind);
    if (cudaError_t error = called())
        return error;
    emulated::enqueue(stream, [=] {
        if (bytes)
            memcpy(to, from, bytes);
    });
    return cudaSuccess;
}

cudaError_t cudaMemset(void *at, int value, size_t bytes)
{
    return cudaMemsetAsync(at, value, bytes, nullptr);
}

cudaError_t cudaMemsetAsync(void *at, int value, size_t bytes, cudaStream_t stream)
{
    emulated::must_be_device("cudaMemset", at, bytes);
    if (cudaError_t error = called())
        return error;
    emulated::enqueue(stream, [=] {
        if (bytes)
            memset(at, value, bytes);
    });
    return cudaSuccess;
}
