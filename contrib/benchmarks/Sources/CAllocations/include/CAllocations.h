#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H

/* How often memory has been asked for since the process began. */
unsigned long allocation_count(void);

/* How many bytes have been asked for and not given back. */
unsigned long allocated_bytes(void);

#endif
