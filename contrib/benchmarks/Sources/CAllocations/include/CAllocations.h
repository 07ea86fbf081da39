#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H

/* The number of allocations since the start of the process. */
unsigned long allocation_count(void);

/* The number of allocated bytes that are not freed. */
unsigned long allocated_bytes(void);

#endif
