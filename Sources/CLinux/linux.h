#include <stddef.h>

/* glibc declares these under _GNU_SOURCE only, which Swift's Glibc module is built without. */
extern int mlock2(const void *address, size_t length, unsigned int flags);
extern int pipe2(int descriptors[2], int flags);
extern int memfd_create(const char *name, unsigned int flags);
extern int execvpe(const char *file, char *const arguments[], char *const environment[]);
