/* Counts what each thread asks of the allocator and of Swift's runtime.

   These functions take the place of the C library's and the runtime's own in the program of the tests, and hand
   on to them. What the runtime's library retains for itself is not counted. */
#define _GNU_SOURCE
#include "CCosts.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static __thread struct thread_costs costs;

struct thread_costs costs_of_thread(void) { return costs; }

static void note(size_t size) {
    costs.allocations++;
    costs.bytes += size;
}

void *malloc(size_t size) {
    note(size);
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    note(number * size);
    return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
    note(size);
    return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
    note(size);
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    void *memory = memalign(alignment, size);
    if (!memory) return ENOMEM;
    *result = memory;
    return 0;
}

/* The C library's own function of that name. While it is looked for, bytes go one by one. */
static void *move_bytes(const char *name, void *(**known)(void *, const void *, size_t), void *to,
                        const void *from, size_t count) {
    static __thread int is_looking;
    costs.moved += count;
    if (!*known && !is_looking) {
        is_looking = 1;
        *known = (void *(*)(void *, const void *, size_t))dlsym(RTLD_NEXT, name);
        is_looking = 0;
    }
    if (*known) return (*known)(to, from, count);
    volatile char *target = to;
    const volatile char *source = from;
    if (target < source)
        for (size_t i = 0; i < count; i++) target[i] = source[i];
    else
        for (size_t i = count; i > 0; i--) target[i - 1] = source[i - 1];
    return to;
}

void *memmove(void *to, const void *from, size_t count) {
    static void *(*known)(void *, const void *, size_t);
    return move_bytes("memmove", &known, to, from, count);
}

void *memcpy(void *to, const void *from, size_t count) {
    static void *(*known)(void *, const void *, size_t);
    return move_bytes("memcpy", &known, to, from, count);
}

/* The runtime's own function of that name. */
static void *(*runtime_function(const char *name))(void *) {
    return (void *(*)(void *))dlsym(RTLD_NEXT, name);
}

void *swift_retain(void *object) {
    static void *(*retain)(void *);
    if (!retain) retain = runtime_function("swift_retain");
    costs.retains++;
    return retain(object);
}

void *swift_bridgeObjectRetain(void *object) {
    static void *(*retain)(void *);
    if (!retain) retain = runtime_function("swift_bridgeObjectRetain");
    costs.retains++;
    return retain(object);
}
