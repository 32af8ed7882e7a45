#include <keyutils.h>

/* glibc declares these two under _GNU_SOURCE only, which Swift's Glibc module is built without. */
extern int mlock2(const void *address, size_t length, unsigned int flags);
extern int pipe2(int descriptors[2], int flags);
