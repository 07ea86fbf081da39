// The sums of inverse-square forces, 16 lanes wide, which take most of a force layout's time.
//
// Each kernel is compiled for several instruction sets and gives the same bits on all of them: the
// number of lanes, and with it the order of every addition, is the same everywhere; products and sums
// are rounded separately, never fused; inverse roots consist of shifts, products and sums, never of an
// instruction whose result differs between vendors of processors.
//
// No kernel keeps state or allocates; all of them are thread-safe.
#pragma once

#include <stdint.h>

enum {
    /// Floats added side by side. Source counts are multiples of it.
    LAYOUT_LANES = 16,
    /// Doubles added side by side. Source counts of the exact sum are multiples of it.
    LAYOUT_EXACT_LANES = 8,
    /// The alignment of each array of sources and of sums, in bytes.
    LAYOUT_ALIGNMENT = 64,
};

/// Instruction sets, each including those before it.
enum layout_instructions {
    LAYOUT_BASELINE = 0,
    LAYOUT_AVX2 = 1,
    LAYOUT_AVX512 = 2,
};

/// A coordinate for padding sources in the last lanes: too far to contribute.
#define LAYOUT_FAR 1e11f

/// The best instruction set of this processor, as a `layout_instructions`.
int32_t layout_best_instructions(void);

/// Adds the push of single cells on each target, lane by lane.
///
/// A pair pushes with d / |d|³. Cells in the same position, including the target itself, add nothing.
///
/// @param instructions an instruction set of this processor
/// @param source_x, source_y the cells that push; aligned
/// @param sources the number of sources, a multiple of LAYOUT_LANES
/// @param target_x, target_y the cells that are pushed; `targets` of each
/// @param sum_x, sum_y LAYOUT_LANES running sums for each target; aligned
/// @param potential the same for the sum of 1 / |d|, or NULL
void layout_push_of_cells(
    int32_t instructions, const float *source_x, const float *source_y, int32_t sources,
    const float *target_x, const float *target_y, int32_t targets,
    float *sum_x, float *sum_y, float *potential);

/// The same for cells some of which are much closer to each other than to the origin: each coordinate is
/// the sum of two floats, the second being the remainder of the first. Has no potential, which such
/// pairs do not distort.
void layout_push_of_close_cells(
    int32_t instructions, const float *source_x, const float *source_y,
    const float *rest_x, const float *rest_y, int32_t sources,
    const float *target_x, const float *target_y,
    const float *target_rest_x, const float *target_rest_y, int32_t targets,
    float *sum_x, float *sum_y);

/// Adds the push of distant groups of cells, each given by its mass and quadrupole about its centre of
/// mass.
///
/// The quadrupole is the traceless one of the charge in space, restricted to the plane: xx = Σ 2x² − y²,
/// xy = Σ 3xy, yy = Σ 2y² − x².
///
/// @param sources as above, of centres of mass; padding groups have mass and quadrupole 0
void layout_push_of_groups(
    int32_t instructions, const float *source_x, const float *source_y, const float *mass,
    const float *xx, const float *xy, const float *yy, int32_t sources,
    const float *target_x, const float *target_y, int32_t targets,
    float *sum_x, float *sum_y, float *potential);

/// The push of all cells on those from `first` up to `end`, in double precision.
///
/// @param x, y all cells; aligned; padded up to `count` with 1e100
/// @param count a multiple of LAYOUT_EXACT_LANES
/// @param push_x, push_y the sums, written at `first..<end`
/// @param potential the sums of 1 / |d|, written at `first..<end`, or NULL
void layout_exact_push(
    int32_t instructions, const double *x, const double *y, int32_t count,
    int32_t first, int32_t end, double *push_x, double *push_y, double *potential);

/// Sums the lanes of each running sum, the two halves first, then the halves of that.
///
/// @param sums LAYOUT_LANES for each target; aligned
/// @param totals one for each target, written
void layout_add_lanes(int32_t instructions, const float *sums, int32_t targets, float *totals);

/// A square of a quadtree: a range of sorted cells, its charge and its children.
typedef struct {
    /// The centre of mass.
    double x, y;
    /// The distance of its farthest cell from there, and 2/θ times that.
    float radius, reach;
    /// The number of cells, and the quadrupole, as for layout_push_of_groups.
    float mass, xx, xy, yy;
    /// The sorted cells `first..<end`.
    int32_t first, end;
    /// The first of its children, which are consecutive, and their number; 0 for a leaf.
    int32_t child, children;
} layout_square;

/// Gathers squares of a tree into the form for layout_push_of_groups.
///
/// @param squares all squares
/// @param indexes the squares to gather; `count` of them
/// @param centre_x, centre_y the origin of the coordinates
/// @param result dx, dy, mass, xx, xy and yy, `stride` floats apart, `count` of each; written
void layout_take_squares(
    int32_t instructions, const layout_square *squares, const int32_t *indexes, int32_t count,
    double centre_x, double centre_y, float *result, int32_t stride);

/// Coordinates from a centre, as floats: (float)(x − centre) for each of `count`.
void layout_offsets(
    int32_t instructions, const double *x, int32_t count, double centre, float *offsets);
