#ifndef COMPARE_MEASURE_H
#define COMPARE_MEASURE_H

#include <stddef.h>

enum { SECRET_SIZE = 200 };

/* Gets the secret once into the buffer and returns its length, or -1. */
typedef long secret_getter(char *buffer, size_t size);

/* Checks that it gives the secret, a row of x; then prints the median time of a get in nanoseconds, of that many samples
   that are each the mean of a batch of gets. Ends the process with 70 if anything is wrong. */
void measure(const char *samples, const char *batch, secret_getter *get);

/* Prints the reason and ends the process with 70. */
void fail(const char *what);

#endif
