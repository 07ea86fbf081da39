#define _GNU_SOURCE
#include "CDocumentKernels.h"

#include <sys/mman.h>
#include <unistd.h>

void *names_map(size_t size)
{
    void *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void *names_remap(void *memory, size_t size, size_t new_size)
{
    // The pages are moved in the table of pages; their contents are not copied.
    void *moved = mremap(memory, size, new_size, MREMAP_MAYMOVE);
    return moved == MAP_FAILED ? NULL : moved;
}

void names_unmap(void *memory, size_t size) { munmap(memory, size); }

void names_discard(void *memory, size_t size) { madvise(memory, size, MADV_DONTNEED); }

// Linux 5.14; older ones refuse it.
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

void names_populate(void *memory, size_t size) { madvise(memory, size, MADV_POPULATE_WRITE); }

size_t names_page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }
