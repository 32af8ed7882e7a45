#ifndef CFLOOR_SCALE_H
#define CFLOOR_SCALE_H

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* What the scale benchmark needs beside floor.h. All return -1 with errno set where they fail. */

/* Makes sure that an item is absent: it is not in the ring, and the ring is the one that the anchor links now. */
int floor_miss(int32_t anchor, const char *ring_name, int32_t ring, const char *name);

/* Lists the ring, with the name of each living member; returns how many there are. */
long floor_list(int32_t ring);

/* The same with each member's size, and the time left of all from /proc/keys. */
long floor_items(int32_t ring);

/* Clears the ring. */
int floor_clear(int32_t ring);

/* Unlinks the ring's members one by one. */
int floor_empty(int32_t ring);

/* Publishes COUNT items named PREFIX and six digits, each complete when it becomes visible. They expire together in the
   second that begins at DEADLINE. */
int floor_fill(int32_t ring, const char *prefix, int count, time_t deadline);

/* Starts a process with a session keyring of its own, as that user; it is killed when we end. Returns 0 in it and its
   process ID here; CHANNEL is the socket to the other one. */
pid_t start_member(uid_t user, int *channel);

#endif
