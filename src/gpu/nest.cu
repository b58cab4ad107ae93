// SPDX-License-Identifier: MIT
// Idea:  For a reuse at time t whose key was last accessed at time p, the distance is t - p - 1 minus
//        the number of reuses nested within: those whose p is larger and whose t is smaller. So the
//        pairs (p, t), in the order of t, are partitioned by the bits of p from the top, five at a
//        time, stably, and each pair counts the earlier ones in its range that go to a higher subrange.
//        No two pairs have the same p, so a range of 2^w values holds at most that many pairs, and the
//        positions of all ranges are known from the beginning. Instead of t, each pair stores t minus
//        what was counted so far. The last 12 bits are done in shared memory.
//
//        A pass reads and writes each pair once: a row of 32 pairs is compared by ballots,
//        lane d keeps the counts of digit d of its warp, and a tile learns from those before
//        it how many went where (decoupled look-back: Merrill and Garland, "Single-pass
//        parallel prefix scan with decoupled look-back", 2016).
// Cost:  16 bytes of device memory per pair and pass; 3 passes up to 2^27 accesses.
#include "gpu/launch.cuh"
#include "gpu/nest.cuh"
#include "gpu/tally.cuh"
#include "gpu/warp.cuh"

enum {
    THREADS = 512,
    WARPS = THREADS / 32,
    WARP_PAIRS = DJ_TILE / WARPS,
    ROWS = WARP_PAIRS / 32,
    DIGIT_BITS = 5,
    DIGITS = 1 << DIGIT_BITS,
    LEAF_BITS = DJ_TILE_BITS - DIGIT_BITS, // what remains when the last tile is divided
    LEAF = 1 << LEAF_BITS,
    LEAF_WORDS = LEAF / 32,
    BLOCKS_A_PROCESSOR = 4,
};

typedef struct pass {
    uint32_t count;
    uint32_t from_bits, to_bits; // of the ranges before and after
    uint32_t epoch;
} pass;

// The pairs of a thread, one in each row of its warp, and how many earlier ones in the warp have the
// same digit (low half) and a greater one (high half).
struct dj_nest_rows {
    uint32_t prev[ROWS], rest[ROWS], rank[ROWS];
    uint32_t total; // in all rows, those with the lane's number as their digit
};

static __device__ inline uint32_t digit_of(uint32_t prev, uint32_t bits, uint32_t digits)
{
    return prev >> bits & (digits - 1);
}

static __device__ inline void rank_rows(dj_nest_rows *rows, uint32_t bits, uint32_t digits)
{
    uint32_t lane = threadIdx.x % 32, before = dj_lanes_before(lane);
    uint32_t equal = 0, greater = 0;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        uint32_t digit = digit_of(rows->prev[r], bits, digits);
        uint32_t there = __ballot_sync(DJ_ALL_LANES, rows->prev[r] != DJ_NO_PREV);
        dj_lanes own = {there, 0}, number = {there, 0};
#pragma unroll
        for (int bit = DIGIT_BITS - 1; bit >= 0; bit--) {
            uint32_t ones = __ballot_sync(DJ_ALL_LANES, digit >> bit & 1);
            dj_lanes_narrow(&own, ones, digit >> bit & 1);
            dj_lanes_narrow(&number, ones, lane >> bit & 1);
        }
        uint32_t same = __shfl_sync(DJ_ALL_LANES, equal, digit) + __popc(own.equal & before);
        uint32_t more = __shfl_sync(DJ_ALL_LANES, greater, digit) + __popc(own.greater & before);
        rows->rank[r] = same | more << 16;
        equal += __popc(number.equal);
        greater += __popc(number.greater);
    }
    rows->total = equal;
}

// The status of a tile for each digit: its own count, or the count of all tiles from the first one of
// the range on.
static __device__ inline uint64_t tile_status(uint32_t epoch, bool all, uint32_t count)
{
    return (uint64_t)epoch << 33 | (uint64_t)all << 32 | count;
}

// The number of pairs in earlier tiles, from the first one of the range on, with the lane's number as
// their digit.
static __device__ uint32_t look_back(uint64_t *status, uint32_t tile, bool is_first, uint32_t own,
                                     uint32_t epoch)
{
    uint32_t lane = threadIdx.x % 32, sum = 0;
    volatile uint64_t *mine = status + (uint64_t)tile * DIGITS + lane;
    if (!is_first) {
        *mine = tile_status(epoch, false, own);
        volatile uint64_t *other = mine;
        bool all = false;
        while (!all) {
            other -= DIGITS;
            uint64_t word = *other;
            while (word >> 33 != epoch)
                word = *other;
            sum += (uint32_t)word;
            all = word >> 32 & 1;
        }
    }
    *mine = tile_status(epoch, true, sum + own);
    return sum;
}

template <bool is_first_pass>
static __global__ void __launch_bounds__(THREADS)
    divide(const uint32_t *prev, const uint2 *from, uint2 *to, const uint32_t *from_length,
           uint32_t *to_length, uint64_t *status, uint32_t *ticket, pass at)
{
    __shared__ uint32_t taken, total[WARPS][DIGITS], before[DIGITS];
    if (threadIdx.x == 0)
        taken = atomicAdd(ticket, 1u); // tiles begin in order, so that none waits for one that cannot run
    __syncthreads();
    uint32_t tile = taken, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint32_t bits = at.from_bits - at.to_bits, digits = 1u << bits;
    uint32_t range = tile >> (at.from_bits - DJ_TILE_BITS), start = range << at.from_bits;
    uint32_t end = is_first_pass ? at.count : start + from_length[range], tile_start = tile * DJ_TILE;
    if (tile_start >= end)
        return;
    dj_nest_rows rows;
    uint32_t mine = tile_start + warp * WARP_PAIRS + lane;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        uint32_t i = mine + (uint32_t)r * 32;
        if (is_first_pass) {
            rows.prev[r] = i < end ? prev[i] & DJ_NO_PREV : DJ_NO_PREV;
            rows.rest[r] = i;
        } else {
            uint2 pair = i < end ? from[i] : make_uint2(DJ_NO_PREV, 0);
            rows.prev[r] = pair.x;
            rows.rest[r] = pair.y;
        }
    }
    rank_rows(&rows, at.to_bits, digits);
    total[warp][lane] = rows.total;
    __syncthreads();
    if (warp == 0) {
        uint32_t own = 0;
        for (int w = 0; w < WARPS; w++)
            own += total[w][lane];
        before[lane] = look_back(status, tile, tile_start == start, own, at.epoch);
        if (tile_start + DJ_TILE >= end && lane < digits)
            to_length[range << bits | lane] = before[lane] + own;
    }
    __syncthreads();
    uint32_t place = before[lane];
    for (uint32_t w = 0; w < warp; w++)
        place += total[w][lane];
    uint32_t above = dj_sum_above(place, lane);
    place += (range << bits | lane) << at.to_bits;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        uint32_t digit = digit_of(rows.prev[r], at.to_bits, digits);
        uint32_t i = __shfl_sync(DJ_ALL_LANES, place, digit) + (rows.rank[r] & 0xffff);
        uint32_t within = __shfl_sync(DJ_ALL_LANES, above, digit) + (rows.rank[r] >> 16);
        if (rows.prev[r] != DJ_NO_PREV)
            to[i] = make_uint2(rows.prev[r], rows.rest[r] - within);
    }
}

// Writes the pairs of a tile, ordered by the first remaining digit, to `pairs`, and where each digit
// begins to `begin`.
static __device__ inline void divide_tile(const uint2 *from, uint32_t length, uint2 *pairs,
                                          uint32_t (*total)[DIGITS], uint32_t *begin)
{
    uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    dj_nest_rows rows;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        uint32_t i = warp * WARP_PAIRS + (uint32_t)r * 32 + lane;
        uint2 pair = i < length ? from[i] : make_uint2(DJ_NO_PREV, 0);
        rows.prev[r] = pair.x;
        rows.rest[r] = pair.y;
    }
    rank_rows(&rows, LEAF_BITS, DIGITS);
    total[warp][lane] = rows.total;
    __syncthreads();
    uint32_t place = 0, all = 0;
    for (uint32_t w = 0; w < WARPS; w++) {
        place += w < warp ? total[w][lane] : 0;
        all += total[w][lane];
    }
    uint32_t above = dj_sum_above(place, lane), start = dj_sum_below(all, lane);
    if (warp == 0) {
        begin[lane] = start;
        if (lane == 31)
            begin[DIGITS] = start + all;
    }
    place += start;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        uint32_t digit = digit_of(rows.prev[r], LEAF_BITS, DIGITS);
        uint32_t i = __shfl_sync(DJ_ALL_LANES, place, digit) + (rows.rank[r] & 0xffff);
        uint32_t within = __shfl_sync(DJ_ALL_LANES, above, digit) + (rows.rank[r] >> 16);
        if (rows.prev[r] != DJ_NO_PREV)
            pairs[i] = make_uint2(rows.prev[r], rows.rest[r] - within);
    }
    __syncthreads();
}

// How many of the values in `seen` are above `value`.
static __device__ inline uint32_t count_above(const volatile uint32_t *seen, uint32_t value)
{
    uint32_t sum = 0, word = value / 32;
#pragma unroll
    for (uint32_t i = 0; i < LEAF_WORDS; i++) {
        uint32_t above = i > word ? 0xffffffffu : i == word ? ~((2u << value % 32) - 1) : 0;
        sum += __popc(seen[i] & above);
    }
    return sum;
}

// A row of the leaf: earlier rows of the leaf are in `seen`.
static __device__ inline uint32_t count_within(uint32_t value, uint32_t there, const volatile uint32_t *seen,
                                               bool is_first)
{
    dj_lanes own = {there, 0};
#pragma unroll
    for (int bit = LEAF_BITS - 1; bit >= 0; bit--)
        dj_lanes_narrow(&own, __ballot_sync(DJ_ALL_LANES, value >> bit & 1), value >> bit & 1);
    return __popc(own.greater & dj_lanes_before(threadIdx.x % 32)) +
           (is_first ? 0 : count_above(seen, value));
}

template <bool counts>
static __global__ void __launch_bounds__(THREADS)
    finish(const uint2 *from, const uint32_t *length, uint32_t tiles, dj_nest_answers answers)
{
    __shared__ uint2 pairs[DJ_TILE];
    __shared__ uint32_t total[WARPS][DIGITS], begin[DIGITS + 1], seen[WARPS][LEAF_WORDS];
    __shared__ dj_gpu_tally tally;
    uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (counts)
        dj_gpu_tally_begin(&tally);
    __syncthreads();
    for (uint32_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        if (length[tile] == 0)
            continue;
        divide_tile(from + (uint64_t)tile * DJ_TILE, length[tile], pairs, total, begin);
        for (uint32_t leaf = warp; leaf < DIGITS; leaf += WARPS) {
            uint32_t start = begin[leaf], end = begin[leaf + 1];
            if (lane < LEAF_WORDS)
                seen[warp][lane] = 0;
            __syncwarp();
            for (uint32_t row = start; row < end; row += 32) {
                bool is_there = row + lane < end;
                uint2 pair = is_there ? pairs[row + lane] : make_uint2(0, 0);
                uint32_t value = pair.x % LEAF, there = __ballot_sync(DJ_ALL_LANES, is_there);
                uint32_t within = count_within(value, there, seen[warp], row == start);
                uint32_t distance = pair.y - within - pair.x - 1;
                if (counts)
                    dj_gpu_tally_add(&tally, answers.counts, distance, there);
                else if (is_there)
                    answers.distance[answers.next[pair.x] - answers.first] = distance;
                __syncwarp();
                if (is_there)
                    atomicOr(&seen[warp][value / 32], 1u << value % 32);
                __syncwarp();
            }
        }
        __syncthreads();
    }
    if (counts)
        dj_gpu_tally_end(&tally, answers.counts);
}

unsigned dj_nest_bits(uint32_t count)
{
    unsigned bits = DJ_TILE_BITS + 1;
    while (count > 1u << bits)
        bits++;
    return bits;
}

unsigned dj_nest_passes(uint32_t count)
{
    return (dj_nest_bits(count) - DJ_TILE_BITS + DIGIT_BITS - 1) / DIGIT_BITS;
}

cudaError_t dj_nest_divide(dj_nest *nest, const uint32_t *prev, uint32_t count, cudaStream_t stream)
{
    unsigned passes = dj_nest_passes(count), bits = dj_nest_bits(count), left = bits - DJ_TILE_BITS;
    uint32_t tiles = dj_tiles(count);
    cudaError_t error = cudaMemsetAsync(nest->tickets, 0, DJ_NEST_PASSES * sizeof *nest->tickets, stream);
    for (unsigned i = 0; error == cudaSuccess && i < passes; i++) {
        unsigned some = (left + passes - i - 1) / (passes - i);
        uint32_t ranges = 1u << (bits - DJ_TILE_BITS - left + some);
        pass at = {count, DJ_TILE_BITS + left, DJ_TILE_BITS + left - some, ++nest->epoch};
        left -= some;
        error = cudaMemsetAsync(nest->length[i % 2], 0, ranges * sizeof *nest->length[0], stream);
        if (error != cudaSuccess)
            break;
        if (i == 0)
            DJ_LAUNCH(divide<true>, tiles, THREADS, stream, prev, nullptr, nest->pairs[0], nullptr,
                      nest->length[0], nest->status, nest->tickets, at);
        else
            DJ_LAUNCH(divide<false>, tiles, THREADS, stream, nullptr, nest->pairs[(i + 1) % 2],
                      nest->pairs[i % 2], nest->length[(i + 1) % 2], nest->length[i % 2], nest->status,
                      nest->tickets + i, at);
        error = cudaGetLastError();
    }
    return error;
}

cudaError_t dj_nest_finish(const dj_nest *nest, uint32_t count, const dj_nest_answers *answers,
                           cudaStream_t stream)
{
    unsigned last = (dj_nest_passes(count) - 1) % 2;
    uint32_t tiles = dj_tiles(count);
    uint32_t blocks = nest->processors * BLOCKS_A_PROCESSOR;
    blocks = blocks < tiles ? blocks : tiles;
    if (answers->counts)
        DJ_LAUNCH(finish<true>, blocks, THREADS, stream, nest->pairs[last], nest->length[last], tiles,
                  *answers);
    else
        DJ_LAUNCH(finish<false>, blocks, THREADS, stream, nest->pairs[last], nest->length[last], tiles,
                  *answers);
    return cudaGetLastError();
}
