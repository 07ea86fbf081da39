// Tells the libraries that they run in this project's tests, which needs no call; and what tests set for themselves.
#pragma once

// Lets the calling thread, and those that it starts, use only the first of the processors that it may use.
// Returns 0, or -1 and sets errno.
int test_use_one_processor(void);
