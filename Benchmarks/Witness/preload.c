/* Counts what the calling thread allocates and locks. For LD_PRELOAD, which puts it in front of the C library:
   `cc -shared -fPIC -o preload.so preload.c`. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

/* Not by dlsym(3), which allocates. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static __thread long allocations __attribute__((tls_model("initial-exec")));
static __thread long locks __attribute__((tls_model("initial-exec")));

long preloaded_allocations(void) { return allocations; }
long preloaded_locks(void) { return locks; }

void *malloc(size_t size)
{
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *start, size_t size)
{
    allocations++;
    return __libc_realloc(start, size);
}

void *memalign(size_t alignment, size_t size)
{
    allocations++;
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int posix_memalign(void **start, size_t alignment, size_t size)
{
    *start = memalign(alignment, size);
    return *start ? 0 : ENOMEM;
}

typedef int (*lock_call)(void *);

static int forward(lock_call *next, const char *name, void *lock)
{
    locks++;
    if (!*next)
        *next = (lock_call)dlsym(RTLD_NEXT, name);
    return (*next)(lock);
}

int pthread_mutex_lock(pthread_mutex_t *lock)
{
    static lock_call next;
    return forward(&next, "pthread_mutex_lock", lock);
}

int pthread_mutex_trylock(pthread_mutex_t *lock)
{
    static lock_call next;
    return forward(&next, "pthread_mutex_trylock", lock);
}

int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    static lock_call next;
    return forward(&next, "pthread_rwlock_rdlock", lock);
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    static lock_call next;
    return forward(&next, "pthread_rwlock_wrlock", lock);
}

int pthread_spin_lock(pthread_spinlock_t *lock)
{
    static lock_call next;
    return forward(&next, "pthread_spin_lock", (void *)lock);
}
