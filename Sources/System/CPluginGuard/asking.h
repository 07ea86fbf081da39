// The kernel's question before each fork, vfork, clone and clone3 of a program: seccomp(2) with user notification. A
// process whose question is not answered waits, and can still be killed.
#pragma once

// Makes the kernel ask for this process and all that it will start, from now on, and sends the descriptor for the
// questions through `socket`. Does nothing where that is impossible: an old kernel, a filter that forbids it, or
// somebody else who is asked already. Either way this process gains no privileges by executing programs from now on.
void asking_begin(int socket);

// Receives that descriptor; -1 if there is none.
int asking_receive(int socket);

// The question that came first, as a number to answer it by. Returns 0 if whoever asked is gone.
unsigned long long asking_next(int descriptor);

// Lets the kernel go on with what it asked about.
void asking_allow(int descriptor, unsigned long long question);
