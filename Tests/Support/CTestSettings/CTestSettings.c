#define _GNU_SOURCE
#include "CTestSettings.h"

#include <sched.h>
#include <stdlib.h>

// In debug builds, Observables uses small chunks and checks its invariants at each change if it finds this
// variable. Linking it into the tests is sufficient, and processes they start inherit it; other programs are
// not affected.
__attribute__((constructor)) static void set_test_settings(void) {
    setenv("PICKERD_TEST_SETTINGS", "1", 1);
}

int test_use_one_processor(void) {
    cpu_set_t all, first;
    if (sched_getaffinity(0, sizeof all, &all) != 0) return -1;
    int number = 0;
    while (!CPU_ISSET(number, &all)) number++;
    CPU_ZERO(&first);
    CPU_SET(number, &first);
    return sched_setaffinity(0, sizeof first, &first);
}
