// A terminal that a crash of the program gives back: its modes, and what is on its screen.
//
// A handler of a signal may do almost nothing, and after a crash no code in Swift may run at all; so this is in C.
#pragma once

#include <stddef.h>

// From now on, a signal of a crash (SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE) writes the bytes, at most
// CTERMINAL_MOST of them, to the terminal, and gives it the modes that it has now. Then the signal does what it did
// before. The descriptor must stay open until cterminal_disarm. Only one terminal is guarded: the last one.
// 0, or -1 and errno.
#define CTERMINAL_MOST 256
int cterminal_arm(int terminal, const void *bytes, size_t count);

// From now on, a crash leaves the terminal alone.
void cterminal_disarm(void);
