#define _GNU_SOURCE
#include "CDocumentKernels.h"

#include <sys/mman.h>
#include <unistd.h>

static const size_t huge_page_size = 2 << 20;

static void *map(size_t size)
{
    return mmap(
        NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

void *names_map(size_t size)
{
    // What is as large as a huge page begins where one may begin.
    size_t slack = size >= huge_page_size ? huge_page_size : 0;
    uint8_t *memory = map(size + slack);
    if (memory == MAP_FAILED) return NULL;
    if (slack == 0) return memory;
    size_t before = (huge_page_size - (uintptr_t)memory % huge_page_size) % huge_page_size;
    if (before > 0) munmap(memory, before);
    if (before < slack) munmap(memory + before + size, slack - before);
    return memory + before;
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

// Linux 6.1; older ones refuse it.
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

// Gives each aligned part of the size of a huge page one, which takes a fifth of the time of its small pages. Unlike
// MADV_HUGEPAGE this says nothing of pages to come, and leaves the mapping in one piece, so that it can be moved.
static int collapse(uint8_t *start, uint8_t *end)
{
    // A part of which no page is there is refused.
    for (uint8_t *page = start; page < end; page += huge_page_size)
        names_touch(page);
    return madvise(start, (size_t)(end - start), MADV_COLLAPSE) == 0;
}

void names_populate(void *memory, size_t size)
{
    uint8_t *start = memory;
    uint8_t *end = start + size;
    uint8_t *first = start + (huge_page_size - (uintptr_t)start % huge_page_size) % huge_page_size;
    if (first < end && (size_t)(end - first) >= huge_page_size) {
        uint8_t *last = end - (uintptr_t)end % huge_page_size;
        if (collapse(first, last)) {
            madvise(start, (size_t)(first - start), MADV_POPULATE_WRITE);
            start = last;
        }
    }
    madvise(start, (size_t)(end - start), MADV_POPULATE_WRITE);
}

size_t names_page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }
