// Who is running: what Swift's runtime knows of the actor and the task at hand and Swift code cannot ask.
//
// The functions behind these have stood in the runtime under the same names since Swift 5.5 and 6.2;
// compiled code calls them at each hop between actors. Swift code may not name them, C code may.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// What runs the work of an actor, in the two words in which Swift hands it on. Both are 0 outside of any
// actor; the first is the actor itself, and the second 0, unless the actor has an executor of its own.
struct serial_executor {
    uintptr_t identity;
    uintptr_t implementation;
};

// The executor that the calling code runs on.
struct serial_executor current_executor(void);

// Whether the calling code runs on an executor, or on one that counts as the same. Never stops the program.
bool is_current_executor(struct serial_executor executor);

// The task that the calling code runs in, or 0. Its address is nobody else's while it lives.
uintptr_t current_task(void);

// Whether the calling thread is the one that the process began with.
bool is_first_thread(void);
