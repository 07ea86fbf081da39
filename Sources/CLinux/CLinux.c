#include "CLinux.h"
int pickerd_clinux_version(void) { return 1; }
