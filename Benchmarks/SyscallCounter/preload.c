/* Counts the allocations and locks of the calling thread. LD_PRELOAD loads this library before the C library, so that
   its functions are called instead. To build it: `cc -shared -fPIC -o preload.so preload.c`. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

/* The C library's own allocator. dlsym(3) can't look it up, because dlsym itself allocates memory. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static __thread long allocations __attribute__((tls_model("initial-exec")));
static __thread long locks __attribute__((tls_model("initial-exec")));

long preloaded_allocations(void) { return allocations; }
long preloaded_locks(void) { return locks; }

#define ALLOCATION(allocator, parameters, call) \
    void *allocator parameters                  \
    {                                           \
        allocations++;                          \
        return call;                            \
    }

ALLOCATION(malloc, (size_t size), __libc_malloc(size))
ALLOCATION(calloc, (size_t count, size_t size), __libc_calloc(count, size))
ALLOCATION(realloc, (void *start, size_t size), __libc_realloc(start, size))
ALLOCATION(memalign, (size_t alignment, size_t size), __libc_memalign(alignment, size))
ALLOCATION(aligned_alloc, (size_t alignment, size_t size), __libc_memalign(alignment, size))

int posix_memalign(void **start, size_t alignment, size_t size)
{
    *start = memalign(alignment, size);
    return *start ? 0 : ENOMEM;
}

#define LOCK(lock_function, lock_type)                                    \
    int lock_function(lock_type *lock)                                       \
    {                                                                        \
        static int (*next)(lock_type *);                                     \
        locks++;                                                             \
        if (!next)                                                           \
            next = (int (*)(lock_type *))dlsym(RTLD_NEXT, #lock_function);   \
        return next(lock);                                                   \
    }

LOCK(pthread_mutex_lock, pthread_mutex_t)
LOCK(pthread_mutex_trylock, pthread_mutex_t)
LOCK(pthread_rwlock_rdlock, pthread_rwlock_t)
LOCK(pthread_rwlock_wrlock, pthread_rwlock_t)
LOCK(pthread_spin_lock, volatile int)
