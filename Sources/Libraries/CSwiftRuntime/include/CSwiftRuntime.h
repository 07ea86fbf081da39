// The current actor and task: information of Swift's runtime that Swift code cannot query.
//
// The runtime has had the functions behind these under the same names since Swift 5.5 and 6.2; compiled
// code calls them at each hop between actors. Swift code may not name them, C code may.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// An actor's executor, in the two words of Swift's representation. Both are 0 outside of any actor; the
// first is the actor itself, and the second 0, unless the actor has a custom executor.
struct serial_executor {
    uintptr_t identity;
    uintptr_t implementation;
};

// The executor that the calling code runs on.
struct serial_executor current_executor(void);

// Whether the calling code runs on an executor, or on an equivalent one. Never stops the program.
bool is_current_executor(struct serial_executor executor);

// The task that runs the calling code, or 0. The address is unique while the task lives.
uintptr_t current_task(void);

// Whether the calling thread is the initial thread of the process.
bool is_first_thread(void);
