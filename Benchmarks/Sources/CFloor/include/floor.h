#ifndef CFLOOR_FLOOR_H
#define CFLOOR_FLOOR_H

#include <stddef.h>
#include <stdint.h>

/* The least that a careful C program does for the same result as the store. Both return -1 with errno set. */

/* Finds a `user` key in the ring and reads it; returns the payload's length. */
long floor_get(int32_t ring, const char *name);

/* What a secret needs to replace another in one step with its permissions and timeout, and the look whether the item is
   live, without which a creator that works at the same moment could take it for absent. */
int floor_set(int32_t ring, const char *name, const void *payload, size_t size, unsigned timeout);

#endif
