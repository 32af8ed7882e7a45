#ifndef CWITNESS_WITNESS_H
#define CWITNESS_WITNESS_H

/* What code really does, seen from outside it. */

enum { WITNESS_CALLS = 512 };

/* Runs `body` and counts the system calls that the calling thread makes meanwhile, by their numbers: a child process traces
   it. The marks at the beginning and the end are not counted. Returns -1 with errno set where the kernel does not let the
   child do that. */
int witness_system_calls(void (*body)(void *), void *context, long counts[WITNESS_CALLS]);

/* The number of keyctl(2). */
int witness_keyctl_number(void);

/* What the library of Witness/preload.c counts, in the calling thread; -1 where it was not preloaded. */
long witness_allocations(void);
long witness_locks(void);

#endif
