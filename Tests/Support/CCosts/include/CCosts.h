#ifndef CCOSTS_H
#define CCOSTS_H

/* The costs of one thread since it started. */
struct thread_costs {
    /* The number of allocations. */
    unsigned long allocations;
    /* The total of allocated bytes. */
    unsigned long bytes;
    /* The number of retains of Swift objects. */
    unsigned long retains;
    /* The bytes moved or copied, except by inlined code of the compiler. */
    unsigned long moved;
};

/* The costs of the calling thread. */
struct thread_costs costs_of_thread(void);

#endif
