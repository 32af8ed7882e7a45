#include <keyutils.h>
#include <linux/membarrier.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

/* glibc declares these only under _GNU_SOURCE, which Swift's Glibc module does not define. */
extern int mlock2(const void *address, size_t length, unsigned int flags);
extern int pipe2(int descriptors[2], int flags);
extern int memfd_create(const char *name, unsigned int flags);
extern int renameat2(int folder, const char *name, int other, const char *other_name, unsigned flags);
extern int execvpe(const char *file, char *const arguments[], char *const environment[]);

/* Direct system calls for the most frequent operations of keyctl(2), without the two functions of libkeyutils around
   each call. With the kernel's mitigations for speculative execution, the processor mispredicts each function's
   return after a system call, which costs 10 to 20 ns per function. */
static inline long direct_keyctl_search(int ring, const char *type, const char *description, int destination)
{
    return syscall(SYS_keyctl, KEYCTL_SEARCH, ring, type, description, destination);
}

static inline long direct_keyctl_read(int key, char *buffer, size_t size)
{
    return syscall(SYS_keyctl, KEYCTL_READ, key, buffer, size);
}

static inline long direct_keyctl_describe(int key, char *buffer, size_t size)
{
    return syscall(SYS_keyctl, KEYCTL_DESCRIBE, key, buffer, size);
}

static inline long direct_keyctl_clear(int ring)
{
    return syscall(SYS_keyctl, KEYCTL_CLEAR, ring);
}

static inline long direct_keyctl_setperm(int key, unsigned permissions)
{
    return syscall(SYS_keyctl, KEYCTL_SETPERM, key, permissions);
}

static inline long direct_keyctl_set_timeout(int key, unsigned seconds)
{
    return syscall(SYS_keyctl, KEYCTL_SET_TIMEOUT, key, seconds);
}

static inline long direct_keyctl_move(int key, int from, int to, unsigned flags)
{
    return syscall(SYS_keyctl, KEYCTL_MOVE, key, from, to, flags);
}

/* membarrier(2), for which glibc has no function. */
static inline long membarrier(int command)
{
    return syscall(SYS_membarrier, command, 0, 0);
}
