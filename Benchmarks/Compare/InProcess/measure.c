#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LARGEST_READ = 32768 };

void fail(const char *what)
{
    fprintf(stderr, "error: %s\n", what);
    exit(70);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void check(secret_getter *get)
{
    char buffer[LARGEST_READ];
    if (get(buffer, sizeof buffer) != SECRET_SIZE)
        fail("the secret could not be read");
    for (int i = 0; i < SECRET_SIZE; i++)
        if (buffer[i] != 'x')
            fail("what was read is not the secret");
}

static double sample(int batch, secret_getter *get)
{
    char buffer[LARGEST_READ];
    int failures = 0;
    double start = now();
    for (int i = 0; i < batch; i++)
        failures += get(buffer, sizeof buffer) != SECRET_SIZE;
    double end = now();
    if (failures)
        fail("a get failed");
    return (end - start) / batch;
}

void measure(const char *samples, const char *batch, secret_getter *get)
{
    int amount = atoi(samples), gets = atoi(batch);
    double *times = amount > 0 && gets > 0 ? calloc((size_t)amount, sizeof *times) : NULL;
    if (!times)
        fail("SAMPLES and BATCH must be numbers above 0");
    check(get);
    for (int i = -amount / 10; i < amount; i++) {
        double time = sample(gets, get);
        if (i >= 0)
            times[i] = time;
    }
    qsort(times, (size_t)amount, sizeof *times, ascending);
    printf("%.0f\n", times[amount / 2]);
    free(times);
}
