#ifndef CCOSTS_H
#define CCOSTS_H

/* What one thread has asked for since it began. */
struct thread_costs {
    /* How often it asked for memory. */
    unsigned long allocations;
    /* How many bytes it asked for, all requests together. */
    unsigned long bytes;
    /* How often it retained an object of Swift's. */
    unsigned long retains;
    /* How many bytes it moved or copied, but for what the compiler does without a call. */
    unsigned long moved;
};

/* The calling thread's. */
struct thread_costs costs_of_thread(void);

#endif
