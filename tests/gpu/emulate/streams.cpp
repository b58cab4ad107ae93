// SPDX-License-Identifier: MIT
// Streams and events. Work is done immediately or, if a test requests it, as late as CUDA allows: when
// someone waits for it.
#include "block.h"
#include "emulate.h"
#include "runtime.h"

#include <chrono>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace
{
struct queue {
    std::deque<std::function<void()>> waiting;
    uint64_t put = 0, done = 0;
    bool with_default = true; // synchronizes with the default stream
};

struct mark {
    std::shared_ptr<queue> in;
    uint64_t position = 0;
    std::chrono::steady_clock::time_point at;
};
} // namespace

struct emulated_stream {
    std::shared_ptr<queue> work;
};

struct emulated_event {
    bool timed;
    std::shared_ptr<mark> last; // NULL before the first record
};

namespace
{
std::recursive_mutex lock;
typedef std::lock_guard<std::recursive_mutex> guard;
std::vector<std::shared_ptr<queue>> queues;
int late = -1;

bool is_late()
{
    if (late < 0) {
        const char *set = getenv("DEJA_EMULATE_STREAMS");
        late = set && strcmp(set, "late") == 0;
    }
    return late;
}

void run_until(queue &q, uint64_t position)
{
    while (q.done < position) {
        std::function<void()> work = std::move(q.waiting.front());
        q.waiting.pop_front();
        work();
        q.done++;
    }
}

void run_default()
{
    for (auto &q : queues)
        if (q->with_default)
            run_until(*q, q->put);
}
} // namespace

namespace emulated
{
void enqueue(cudaStream_t stream, std::function<void()> work)
{
    guard locked(lock);
    if (!stream || !is_late()) {
        if (!stream)
            run_default();
        return work();
    }
    stream->work->waiting.push_back(std::move(work));
    stream->work->put++;
}

void finish_all()
{
    guard locked(lock);
    for (auto &q : queues)
        run_until(*q, q->put);
}
} // namespace emulated

using emulated::called;

void dj_emulated_late(bool value)
{
    guard locked(lock);
    emulated::finish_all();
    late = value;
}

cudaError_t cudaDeviceSynchronize()
{
    emulated::finish_all();
    return called();
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags)
{
    guard locked(lock);
    *out = nullptr;
    if (cudaError_t error = called())
        return error;
    emulated::hold(1);
    *out = new emulated_stream{std::make_shared<queue>()};
    (*out)->work->with_default = !(flags & cudaStreamNonBlocking);
    queues.push_back((*out)->work);
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    guard locked(lock);
    run_until(*stream->work, stream->work->put);
    for (size_t i = 0; i < queues.size(); i++)
        if (queues[i] == stream->work)
            queues.erase(queues.begin() + static_cast<long>(i--));
    delete stream;
    emulated::hold(-1);
    return called();
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    guard locked(lock);
    if (stream)
        run_until(*stream->work, stream->work->put);
    else
        run_default();
    return called();
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    guard locked(lock);
    if (stream && stream->work->done < stream->work->put) {
        run_until(*stream->work, stream->work->done + 1); // it may be queried until it is done
        return cudaErrorNotReady;
    }
    return called();
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned)
{
    guard locked(lock);
    if (cudaError_t error = called())
        return error;
    if (std::shared_ptr<mark> m = event->last)
        emulated::enqueue(stream, [m] { run_until(*m->in, m->position); });
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags)
{
    *out = nullptr;
    if (cudaError_t error = called())
        return error;
    emulated::hold(1);
    *out = new emulated_event{!(flags & cudaEventDisableTiming), nullptr};
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    delete event;
    emulated::hold(-1);
    return called();
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    guard locked(lock);
    if (cudaError_t error = called())
        return error;
    std::shared_ptr<mark> m = event->last = std::make_shared<mark>();
    emulated::enqueue(stream, [m] { m->at = std::chrono::steady_clock::now(); });
    m->in = stream ? stream->work : std::make_shared<queue>();
    m->position = m->in->put;
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    guard locked(lock);
    if (event->last)
        run_until(*event->last->in, event->last->position);
    return called();
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    guard locked(lock);
    if (event->last && event->last->in->done < event->last->position) {
        run_until(*event->last->in, event->last->in->done + 1);
        return cudaErrorNotReady;
    }
    return called();
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
    guard locked(lock);
    for (cudaEvent_t event : {from, to}) {
        if (!event->timed || !event->last)
            return cudaErrorInvalidResourceHandle;
        if (event->last->in->done < event->last->position)
            return cudaErrorNotReady;
    }
    *milliseconds = std::chrono::duration<float, std::milli>(to->last->at - from->last->at).count();
    return called();
}
