#define _GNU_SOURCE
#include "CPlainSearch.h"

#include <string.h>

size_t plain_search(const void *text, size_t size, const void *needle, size_t count) {
    const char *place = text, *end = place + size;
    size_t lines = 0;
    while ((place = memmem(place, (size_t)(end - place), needle, count))) {
        lines++;
        place = memchr(place, '\n', (size_t)(end - place));
        if (!place) break;
        place++;
    }
    return lines;
}
