#define _GNU_SOURCE
#include "CDocumentKernels.h"

#include <sched.h>

size_t names_processor_count(void)
{
    cpu_set_t set;
    // It fails where the machine has more than a set has room for.
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    int count = CPU_COUNT(&set);
    return count > 0 ? (size_t)count : 1;
}
