// One source for all instruction sets: vector types of the compiler, which it maps to as many registers
// as the processor needs for 512 bits.
//
// Without this, products and sums would be fused on some processors, and the bits would differ.
#pragma STDC FP_CONTRACT OFF

#include "CLayoutKernels.h"

#include <stddef.h>

typedef float floats __attribute__((vector_size(64)));
typedef float eight __attribute__((vector_size(32)));
typedef float four __attribute__((vector_size(16)));
typedef int32_t integers __attribute__((vector_size(64)));
typedef double doubles __attribute__((vector_size(64)));
typedef int64_t longs __attribute__((vector_size(64)));

// Added to each square: the cube of the inverse root stays finite, and cells in one position do not push
// each other. It changes no push between cells farther apart than a millionth.
#define CLOSEST 1e-18f
#define EXACT_CLOSEST 1e-24

#define lanes_of(sums, index) ((floats *)((sums) + LAYOUT_LANES * (index)))
#define UNROLL _Pragma("clang loop unroll(full)")

// 1/√square, to 2.1e-5. Halving the bits of a float as an integer halves its exponent, which gives an
// estimate of 0.796 to 0.848 times the root; a polynomial in t = square·guess² corrects it. The constant
// of the estimate is the one for which the best polynomial of degree 2 (least relative error for t from
// 0.633 to 0.719) begins with 1, so that it takes a sum, a square and a sum.
#define INVERSE_ROOT(result, square) \
    floats result##_guess = (floats)(0x5f1109ea - ((integers)(square) >> 1)); \
    floats result##_t = (square) * (result##_guess * result##_guess) - 1.12665246f; \
    floats result = result##_guess * (result##_t * result##_t + 1.01317307f);

// The same in double precision: a polynomial of degree 4 leaves 2.3e-8, and one Newton step the last
// bits.
#define EXACT_INVERSE_ROOT(result, square) \
    doubles result##_guess = (doubles)(0x5fe6eb50c7b537a9 - ((longs)(square) >> 1)); \
    doubles result##_t = (square) * (result##_guess * result##_guess); \
    doubles result = result##_guess * \
        ((((result##_t * 0.27403694975240844 - 1.4100871694712374) * result##_t \
           + 2.961040510826835) * result##_t - 3.287965632349149) * result##_t \
         + 2.462975340587119); \
    result += result * (0.5 - 0.5 * ((square) * (result * result)));

#define NAME(kernel) kernel##_baseline
#define TARGET
#include "kernels_body.h"
#undef NAME
#undef TARGET

#if defined(__x86_64__)
#define NAME(kernel) kernel##_avx2
#define TARGET __attribute__((target("avx2")))
#include "kernels_body.h"
#undef NAME
#undef TARGET

#define NAME(kernel) kernel##_avx512
#define TARGET __attribute__((target("avx512f")))
#include "kernels_body.h"
#undef NAME
#undef TARGET
#endif

int32_t layout_best_instructions(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f"))
        return LAYOUT_AVX512;
    if (__builtin_cpu_supports("avx2"))
        return LAYOUT_AVX2;
#endif
    return LAYOUT_BASELINE;
}

#if defined(__x86_64__)
#define DISPATCH(kernel, ...) \
    switch (instructions) { \
    case LAYOUT_AVX512: kernel##_avx512(__VA_ARGS__); break; \
    case LAYOUT_AVX2: kernel##_avx2(__VA_ARGS__); break; \
    default: kernel##_baseline(__VA_ARGS__); \
    }
#else
#define DISPATCH(kernel, ...) \
    (void)instructions; \
    kernel##_baseline(__VA_ARGS__);
#endif

void layout_push_of_cells(
    int32_t instructions, const float *source_x, const float *source_y, int32_t sources,
    const float *target_x, const float *target_y, int32_t targets,
    float *sum_x, float *sum_y, float *potential)
{
    DISPATCH(cells, source_x, source_y, sources, target_x, target_y, targets, sum_x, sum_y, potential)
}

void layout_push_of_close_cells(
    int32_t instructions, const float *source_x, const float *source_y,
    const float *rest_x, const float *rest_y, int32_t sources,
    const float *target_x, const float *target_y,
    const float *target_rest_x, const float *target_rest_y, int32_t targets,
    float *sum_x, float *sum_y)
{
    DISPATCH(close_cells, source_x, source_y, rest_x, rest_y, sources, target_x, target_y,
             target_rest_x, target_rest_y, targets, sum_x, sum_y)
}

void layout_push_of_groups(
    int32_t instructions, const float *source_x, const float *source_y, const float *mass,
    const float *xx, const float *xy, const float *yy, int32_t sources,
    const float *target_x, const float *target_y, int32_t targets,
    float *sum_x, float *sum_y, float *potential)
{
    DISPATCH(groups, source_x, source_y, mass, xx, xy, yy, sources, target_x, target_y, targets,
             sum_x, sum_y, potential)
}

void layout_exact_push(
    int32_t instructions, const double *x, const double *y, int32_t count,
    int32_t first, int32_t end, double *push_x, double *push_y, double *potential)
{
    DISPATCH(exact, x, y, count, first, end, push_x, push_y, potential)
}

void layout_add_lanes(int32_t instructions, const float *sums, int32_t targets, float *totals)
{
    DISPATCH(lanes, sums, targets, totals)
}

void layout_take_squares(
    int32_t instructions, const layout_square *squares, const int32_t *indexes, int32_t count,
    double centre_x, double centre_y, float *result, int32_t stride)
{
    DISPATCH(take_squares, squares, indexes, count, centre_x, centre_y, result, stride)
}

void layout_offsets(
    int32_t instructions, const double *x, int32_t count, double centre, float *offsets)
{
    DISPATCH(offsets, x, count, centre, offsets)
}
