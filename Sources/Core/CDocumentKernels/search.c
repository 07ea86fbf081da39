// One source for all instruction sets. A place is a candidate if the first and the last byte of the needle are
// there, which vectors test for many places at once; the bytes between are compared one candidate at a time.
#include "CDocumentKernels.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#define NOWHERE SIZE_MAX
/// As many rows of a block are tested one by one.
#define FEW 8
/// The rows of the block that comes so much later are fetched, if they are few.
#define AHEAD 4

/// A needle, and up to eight of its bytes after the first, as they are in memory.
typedef struct {
    const uint8_t *bytes;
    size_t count;
    uint64_t middle, mask;
} wanted_text;

static inline wanted_text prepared(const uint8_t *bytes, size_t count)
{
    wanted_text needle = {bytes, count, 0, 0};
    size_t middle = count > 2 ? count - 2 : 0;
    if (middle > sizeof needle.middle)
        middle = sizeof needle.middle;
    memcpy(&needle.middle, bytes + 1, middle);
    memset(&needle.mask, 0xFF, middle);
    return needle;
}

/// Whether the needle is at a place where its first and last byte are, of which `readable` bytes may be read.
static inline int is_match(
    const uint8_t *bytes, size_t readable, const wanted_text *needle, uint64_t *steps)
{
    if (needle->count <= 2)
        return 1;
    *steps += 1 + needle->count / 64;
    if (readable > sizeof(uint64_t)) {
        uint64_t there;
        memcpy(&there, bytes + 1, sizeof there);
        if ((there ^ needle->middle) & needle->mask)
            return 0;
        if (needle->count <= sizeof there + 2)
            return 1;
    }
    return memcmp(bytes + 1, needle->bytes + 1, needle->count - 2) == 0;
}

/// The row whose text is at `place`, searched from `row` on, since most blocks are in order; -1 if there is none.
static inline int row_at(const uint32_t *starts, const uint16_t *counts, size_t place, int row)
{
    for (int tested = 0; tested < NAMES_BLOCK_ROWS; tested++) {
        if (place - starts[row] < counts[row])
            return row;
        row = (row + 1) % NAMES_BLOCK_ROWS;
    }
    return -1;
}

#define NAME(function) function##_plain
#define TARGET
#define WIDTH 1
#include "search_body.h"
#undef NAME
#undef TARGET
#undef WIDTH

#if defined(__x86_64__)
#define LOAD128(bytes) _mm_loadu_si128((const __m128i *)(const void *)(bytes))
#define LOAD256(bytes) _mm256_loadu_si256((const __m256i *)(const void *)(bytes))

static inline uint32_t candidates_16(
    const uint8_t *firsts, const uint8_t *lasts, uint8_t first, uint8_t last)
{
    __m128i one = _mm_cmpeq_epi8(LOAD128(firsts), _mm_set1_epi8((char)first));
    __m128i other = _mm_cmpeq_epi8(LOAD128(lasts), _mm_set1_epi8((char)last));
    return (uint32_t)_mm_movemask_epi8(_mm_and_si128(one, other));
}

static inline uint64_t candidates_sse2(
    const uint8_t *firsts, const uint8_t *lasts, uint8_t first, uint8_t last)
{
    return candidates_16(firsts, lasts, first, last)
        | candidates_16(firsts + 16, lasts + 16, first, last) << 16;
}

#define NAME(function) function##_sse2
#define TARGET
#define WIDTH 32
#define CANDIDATES candidates_sse2
#include "search_body.h"
#undef NAME
#undef TARGET
#undef WIDTH
#undef CANDIDATES

__attribute__((target("avx2"))) static inline uint64_t candidates_avx2(
    const uint8_t *firsts, const uint8_t *lasts, uint8_t first, uint8_t last)
{
    __m256i head = _mm256_set1_epi8((char)first), tail = _mm256_set1_epi8((char)last);
    __m256i low = _mm256_and_si256(
        _mm256_cmpeq_epi8(LOAD256(firsts), head), _mm256_cmpeq_epi8(LOAD256(lasts), tail));
    __m256i high = _mm256_and_si256(
        _mm256_cmpeq_epi8(LOAD256(firsts + 32), head), _mm256_cmpeq_epi8(LOAD256(lasts + 32), tail));
    return (uint64_t)(uint32_t)_mm256_movemask_epi8(low)
        | (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

#define NAME(function) function##_avx2
#define TARGET __attribute__((target("avx2,bmi,popcnt")))
#define WIDTH 64
#define CANDIDATES candidates_avx2
#include "search_body.h"
#undef NAME
#undef TARGET

// Gathering bits takes one instruction, which some processors have that need hundreds of steps for it.
#define NAME(function) function##_gathering
#define TARGET __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define GATHER _pext_u64
#include "search_body.h"
#undef NAME
#undef TARGET
#undef WIDTH
#undef CANDIDATES
#undef GATHER
#elif defined(__aarch64__)
static inline uint64_t candidates_neon(
    const uint8_t *firsts, const uint8_t *lasts, uint8_t first, uint8_t last)
{
    static const uint8_t weights[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t bits = vld1q_u8(weights);
    uint64_t found = 0;
    for (int part = 0; part < 2; part++) {
        uint8x16_t one = vceqq_u8(vld1q_u8(firsts + 16 * part), vdupq_n_u8(first));
        uint8x16_t other = vceqq_u8(vld1q_u8(lasts + 16 * part), vdupq_n_u8(last));
        uint8x16_t both = vandq_u8(vandq_u8(one, other), bits);
        uint64_t low = vaddv_u8(vget_low_u8(both)), high = vaddv_u8(vget_high_u8(both));
        found |= (low | high << 8) << (16 * part);
    }
    return found;
}

#define NAME(function) function##_neon
#define TARGET
#define WIDTH 32
#define CANDIDATES candidates_neon
#include "search_body.h"
#undef NAME
#undef TARGET
#undef WIDTH
#undef CANDIDATES
#endif

int32_t names_best_instructions(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")
        && __builtin_cpu_supports("popcnt")) {
        int is_slow = __builtin_cpu_is("bdver4") || __builtin_cpu_is("znver1") || __builtin_cpu_is("znver2");
        return __builtin_cpu_supports("bmi2") && !is_slow ? NAMES_GATHERING : NAMES_AVX2;
    }
    return NAMES_SSE2;
#elif defined(__aarch64__)
    return NAMES_NEON;
#else
    return NAMES_PLAIN;
#endif
}

uint64_t names_search(
    int32_t instructions, const names_texts *texts, uint32_t first, uint32_t end,
    const uint64_t *among, const uint8_t *needle, size_t count, uint64_t *result)
{
    wanted_text wanted = prepared(needle, count);
    switch (instructions) {
#if defined(__x86_64__)
    case NAMES_GATHERING: return search_gathering(texts, first, end, among, &wanted, result);
    case NAMES_AVX2: return search_avx2(texts, first, end, among, &wanted, result);
    case NAMES_SSE2: return search_sse2(texts, first, end, among, &wanted, result);
#elif defined(__aarch64__)
    case NAMES_NEON: return search_neon(texts, first, end, among, &wanted, result);
#endif
    default: return search_plain(texts, first, end, among, &wanted, result);
    }
}

uint64_t names_spread(
    int32_t instructions, const names_texts *texts, uint32_t block, uint64_t among,
    const uint8_t *needle, size_t count, uint64_t *steps)
{
    switch (instructions) {
#if defined(__x86_64__)
    case NAMES_GATHERING: return spread_gathering(texts, block, among, needle, count, steps);
    case NAMES_AVX2: return spread_avx2(texts, block, among, needle, count, steps);
    case NAMES_SSE2: return spread_sse2(texts, block, among, needle, count, steps);
#elif defined(__aarch64__)
    case NAMES_NEON: return spread_neon(texts, block, among, needle, count, steps);
#endif
    default: return spread_plain(texts, block, among, needle, count, steps);
    }
}
