#ifndef CFLOOR_FLOOR_H
#define CFLOOR_FLOOR_H

#include <stddef.h>
#include <stdint.h>

/* The least that a careful C program does for the same result as the store. Both return -1 with errno set. */

/* Finds a `user` key in the ring and reads it; returns the payload's length. */
long floor_get(int32_t ring, const char *name);

/* Where the store looks, and what it looks for, to learn whether items of the namespace are updated. */
struct floor_mark {
    int32_t leases;
    const char *name;
};

/* What a secret needs to replace another in one step with its permissions and timeout, the look whether the item is live,
   without which a creator that works at the same moment could take it for absent, and the looks before and behind it
   whether an update may miss it. */
int floor_set(int32_t ring, struct floor_mark mark, const char *name, const void *payload, size_t size, unsigned timeout);

/* Takes a lease that a dead holder can't keep, and gives it back so that a successor is never hit. */
int floor_lease(int32_t leases, const char *name);

#endif
