// The kernels for one instruction set: `kernels.c` includes this file with NAME and TARGET redefined.
// See CLayoutKernels.h for their contracts.

// Processing one row of targets at a time keeps all their sums in registers.
#define ROW 4

TARGET static void NAME(cells)(
    const float *source_x, const float *source_y, int32_t sources,
    const float *target_x, const float *target_y, int32_t targets,
    float *sum_x, float *sum_y, float *potential)
{
    int32_t target = 0;
    for (; target + ROW <= targets; target += ROW) {
        floats x[ROW], y[ROW];
        for (int u = 0; u < ROW; u++) {
            x[u] = *lanes_of(sum_x, target + u);
            y[u] = *lanes_of(sum_y, target + u);
        }
        for (int32_t j = 0; j < sources; j += LAYOUT_LANES) {
            floats from_x = *(const floats *)(source_x + j), from_y = *(const floats *)(source_y + j);
            UNROLL for (int u = 0; u < ROW; u++) {
                floats dx = target_x[target + u] - from_x, dy = target_y[target + u] - from_y;
                floats square = dx * dx + (dy * dy + CLOSEST);
                INVERSE_ROOT(inverse, square)
                floats cube = inverse * (inverse * inverse);
                x[u] += dx * cube;
                y[u] += dy * cube;
            }
        }
        for (int u = 0; u < ROW; u++) {
            *lanes_of(sum_x, target + u) = x[u];
            *lanes_of(sum_y, target + u) = y[u];
        }
    }
    for (; target < targets; target++) {
        floats x = *lanes_of(sum_x, target), y = *lanes_of(sum_y, target);
        for (int32_t j = 0; j < sources; j += LAYOUT_LANES) {
            floats dx = target_x[target] - *(const floats *)(source_x + j);
            floats dy = target_y[target] - *(const floats *)(source_y + j);
            floats square = dx * dx + (dy * dy + CLOSEST);
            INVERSE_ROOT(inverse, square)
            floats cube = inverse * (inverse * inverse);
            x += dx * cube;
            y += dy * cube;
        }
        *lanes_of(sum_x, target) = x;
        *lanes_of(sum_y, target) = y;
    }
    if (!potential)
        return;
    for (target = 0; target < targets; target++) {
        floats sum = *lanes_of(potential, target);
        for (int32_t j = 0; j < sources; j += LAYOUT_LANES) {
            floats dx = target_x[target] - *(const floats *)(source_x + j);
            floats dy = target_y[target] - *(const floats *)(source_y + j);
            floats square = dx * dx + (dy * dy + CLOSEST);
            INVERSE_ROOT(inverse, square)
            sum += (floats)((integers)inverse & (square > CLOSEST));
        }
        *lanes_of(potential, target) = sum;
    }
}

TARGET static void NAME(close_cells)(
    const float *source_x, const float *source_y, const float *rest_x, const float *rest_y,
    int32_t sources, const float *target_x, const float *target_y,
    const float *target_rest_x, const float *target_rest_y, int32_t targets,
    float *sum_x, float *sum_y)
{
    for (int32_t target = 0; target < targets; target++) {
        floats x = *lanes_of(sum_x, target), y = *lanes_of(sum_y, target);
        for (int32_t j = 0; j < sources; j += LAYOUT_LANES) {
            floats dx = (target_x[target] - *(const floats *)(source_x + j))
                + (target_rest_x[target] - *(const floats *)(rest_x + j));
            floats dy = (target_y[target] - *(const floats *)(source_y + j))
                + (target_rest_y[target] - *(const floats *)(rest_y + j));
            floats square = dx * dx + (dy * dy + CLOSEST);
            INVERSE_ROOT(inverse, square)
            floats cube = inverse * (inverse * inverse);
            x += dx * cube;
            y += dy * cube;
        }
        *lanes_of(sum_x, target) = x;
        *lanes_of(sum_y, target) = y;
    }
}

// Computed along the unit vector to the group, so that no power of the distance beyond the third occurs:
// the seventh leaves the range of a float for very small and for very large layouts.
TARGET static void NAME(groups)(
    const float *source_x, const float *source_y, const float *mass,
    const float *xx, const float *xy, const float *yy, int32_t sources,
    const float *target_x, const float *target_y, int32_t targets,
    float *sum_x, float *sum_y, float *potential)
{
    for (int32_t target = 0; target < targets; target++) {
        floats x = *lanes_of(sum_x, target), y = *lanes_of(sum_y, target);
        for (int32_t j = 0; j < sources; j += LAYOUT_LANES) {
            floats dx = target_x[target] - *(const floats *)(source_x + j);
            floats dy = target_y[target] - *(const floats *)(source_y + j);
            floats square = dx * dx + (dy * dy + CLOSEST);
            INVERSE_ROOT(inverse, square)
            floats second = inverse * inverse, ux = dx * inverse, uy = dy * inverse;
            floats b = *(const floats *)(xy + j);
            floats qx = *(const floats *)(xx + j) * ux + b * uy;
            floats qy = b * ux + *(const floats *)(yy + j) * uy;
            floats along = ux * qx + uy * qy;
            floats radial = *(const floats *)(mass + j) + 2.5f * (along * second);
            x += second * (ux * radial - qx * second);
            y += second * (uy * radial - qy * second);
        }
        *lanes_of(sum_x, target) = x;
        *lanes_of(sum_y, target) = y;
    }
    if (!potential)
        return;
    for (int32_t target = 0; target < targets; target++) {
        floats sum = *lanes_of(potential, target);
        for (int32_t j = 0; j < sources; j += LAYOUT_LANES) {
            floats dx = target_x[target] - *(const floats *)(source_x + j);
            floats dy = target_y[target] - *(const floats *)(source_y + j);
            floats square = dx * dx + (dy * dy + CLOSEST);
            INVERSE_ROOT(inverse, square)
            floats ux = dx * inverse, uy = dy * inverse, b = *(const floats *)(xy + j);
            floats along = ux * (*(const floats *)(xx + j) * ux + b * uy)
                + uy * (b * ux + *(const floats *)(yy + j) * uy);
            sum += inverse * (*(const floats *)(mass + j) + 0.5f * (along * (inverse * inverse)));
        }
        *lanes_of(potential, target) = sum;
    }
}

TARGET static void NAME(exact)(
    const double *x, const double *y, int32_t count, int32_t first, int32_t end,
    double *push_x, double *push_y, double *potential)
{
    for (int32_t target = first; target < end; target++) {
        doubles sum_x = {0}, sum_y = {0}, sum = {0};
        for (int32_t j = 0; j < count; j += LAYOUT_EXACT_LANES) {
            doubles dx = x[target] - *(const doubles *)(x + j);
            doubles dy = y[target] - *(const doubles *)(y + j);
            doubles square = dx * dx + (dy * dy + EXACT_CLOSEST);
            EXACT_INVERSE_ROOT(inverse, square)
            doubles cube = inverse * (inverse * inverse);
            sum_x += dx * cube;
            sum_y += dy * cube;
            sum += (doubles)((longs)inverse & (square > EXACT_CLOSEST));
        }
        double total_x = 0, total_y = 0, total = 0;
        for (int lane = 0; lane < LAYOUT_EXACT_LANES; lane++) {
            total_x += sum_x[lane];
            total_y += sum_y[lane];
            total += sum[lane];
        }
        push_x[target] = total_x;
        push_y[target] = total_y;
        if (potential)
            potential[target] = total;
    }
}

TARGET static void NAME(lanes)(const float *sums, int32_t targets, float *totals)
{
    for (int32_t target = 0; target < targets; target++) {
        floats all = *(const floats *)(sums + LAYOUT_LANES * target);
        eight half = __builtin_shufflevector(all, all, 0, 1, 2, 3, 4, 5, 6, 7)
            + __builtin_shufflevector(all, all, 8, 9, 10, 11, 12, 13, 14, 15);
        four quarter = __builtin_shufflevector(half, half, 0, 1, 2, 3)
            + __builtin_shufflevector(half, half, 4, 5, 6, 7);
        totals[target] = (quarter[0] + quarter[2]) + (quarter[1] + quarter[3]);
    }
}

TARGET static void NAME(take_squares)(
    const layout_square *squares, const int32_t *indexes, int32_t count, double centre_x,
    double centre_y, float *restrict result, int32_t stride)
{
    for (int32_t i = 0; i < count; i++) {
        const layout_square *square = squares + indexes[i];
        result[i] = (float)(square->x - centre_x);
        result[stride + i] = (float)(square->y - centre_y);
        result[2 * stride + i] = square->mass;
        result[3 * stride + i] = square->xx;
        result[4 * stride + i] = square->xy;
        result[5 * stride + i] = square->yy;
    }
}

TARGET static void NAME(offsets)(const double *x, int32_t count, double centre, float *result)
{
    for (int32_t i = 0; i < count; i++)
        result[i] = (float)(x[i] - centre);
}

#undef ROW
