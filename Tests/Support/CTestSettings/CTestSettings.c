#include "CTestSettings.h"

#include <stdlib.h>

// In debug builds, Observables uses small chunks and checks its invariants at each change if it finds this
// variable. Linking it into the tests is sufficient, and processes they start inherit it; other programs are
// not affected.
__attribute__((constructor)) static void set_test_settings(void) {
    setenv("PICKERD_TEST_SETTINGS", "1", 1);
}
