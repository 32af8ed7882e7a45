#include "floor.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

struct worker {
    pthread_t thread;
    const struct floor_load *load;
    pthread_barrier_t *start;
    atomic_bool *stop;
    uint64_t random;
    uint64_t done;
    int failed;
};

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* SplitMix64. */
static uint64_t next(uint64_t *state)
{
    uint64_t mixed = *state += UINT64_C(0x9E3779B97F4A7C15);
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94D049BB133111EB);
    return mixed ^ (mixed >> 31);
}

static int step(const struct floor_load *load, uint64_t random)
{
    struct floor_item item = load->items[(random >> 32) % load->item_count];
    unsigned share = (unsigned)(random & 0xFFFFFFFF) % 1000;
    unsigned limit = load->sets;
    if (share < limit)
        return floor_set(&load->place, item, load->payload, load->size, load->timeout);
    if (share < (limit += load->deletes))
        return floor_delete(&load->place, item.name);
    if (share < (limit += load->lists))
        return (int)floor_list(&load->place);
    if (share < limit + load->clears)
        return floor_clear(&load->place);
    return (int)floor_get(&load->place, item.name);
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    uint64_t done = 0;
    pthread_barrier_wait(worker->start);
    while (!atomic_load_explicit(worker->stop, memory_order_relaxed)) {
        if (step(worker->load, next(&worker->random)) < 0) {
            worker->failed = 1;
            break;
        }
        done++;
    }
    worker->done = done;
    return NULL;
}

double floor_throughput(const struct floor_load *load, uint64_t nanoseconds)
{
    struct worker workers[64] = {0};
    pthread_barrier_t start;
    atomic_bool stop = false;
    struct timespec time = {(time_t)(nanoseconds / 1000000000u), (long)(nanoseconds % 1000000000u)};
    uint64_t done = 0;
    int failed = 0;

    if (load->threads > 64 || pthread_barrier_init(&start, NULL, load->threads + 1) != 0)
        return -1;
    for (unsigned i = 0; i < load->threads; i++) {
        workers[i] = (struct worker){.load = load, .start = &start, .stop = &stop, .random = load->seed + i};
        /* Those that wait already can't be told that one is missing. */
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            abort();
    }
    pthread_barrier_wait(&start);
    uint64_t began = now();
    nanosleep(&time, NULL);
    atomic_store_explicit(&stop, true, memory_order_relaxed);
    uint64_t elapsed = now() - began;
    for (unsigned i = 0; i < load->threads; i++) {
        pthread_join(workers[i].thread, NULL);
        done += workers[i].done;
        failed |= workers[i].failed;
    }
    pthread_barrier_destroy(&start);
    return failed ? -1 : (double)done * 1e9 / (double)elapsed;
}
