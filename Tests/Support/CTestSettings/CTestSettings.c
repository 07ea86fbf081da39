#include "CTestSettings.h"

#include <stdlib.h>

// In debug builds Observables makes its chunks small and checks its invariants at each change if it
// finds this. Being linked into the tests is all it takes, and what they start inherits it; nobody
// else's program meets it.
__attribute__((constructor)) static void set_test_settings(void) {
    setenv("PICKERD_TEST_SETTINGS", "1", 1);
}
