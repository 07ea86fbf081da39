#ifndef CPLAINSEARCH_H
#define CPLAINSEARCH_H

#include <stddef.h>

/* The number of lines of a text that contain the needle, by the C library's memmem. */
size_t plain_search(const void *text, size_t size, const void *needle, size_t count);

#endif
