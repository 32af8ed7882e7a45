#ifndef CSTOREFLOOR_FLOOR_H
#define CSTOREFLOOR_FLOOR_H

#include <stddef.h>
#include <stdint.h>

/* The least that a careful C program does for the same result as the store. What can fail returns -1 with errno set. */

/* Where the items are, and what is needed to make sure of it. */
struct floor_place {
    int32_t anchor;  /* links both rings */
    int32_t items;   /* the namespace's items */
    int32_t leases;  /* the leases of all namespaces */
    const char *items_name;
    const char *leases_name;
    const char *flag; /* in the leases' ring where the namespace's writers take turns */
};

struct floor_item {
    const char *name;
};

/* Finds a `user` key in the ring and reads it; the payload's length, or 0 where there is none. A miss is believed only of
   the ring that the anchor links now, for a ring that was removed answers in the same way. */
long floor_get(const struct floor_place *place, const char *name);

/* Puts a secret in place of another in one step with its permissions and timeout. It looks whether writers take turns, and at
   the clock, so that the write is through before anybody who makes them do so begins to look. */
int floor_set(const struct floor_place *place, struct floor_item item, const void *payload, size_t size, unsigned timeout);

/* Removes what is there; 1 if there was something. */
int floor_delete(const struct floor_place *place, const char *name);

/* Describes every member, finds the parts of its name, and puts the names in order; how many items there are. */
long floor_list(const struct floor_place *place);

/* Removes all members in one call. */
int floor_clear(const struct floor_place *place);

/* Takes a lease that a dead holder can't keep, and gives it back so that a successor is never hit. */
int floor_lease(int32_t leases, const char *name);

/* Whether the anchor's ring of that name is still this one, linked by the anchor itself. */
int floor_is_current(int32_t anchor, const char *name, int32_t ring);

/* Adds `count` members with one payload to the ring, in place: what a list or a clear then meets. */
int floor_fill(int32_t ring, const struct floor_item *items, size_t count, const void *payload, size_t size);

/* What each of several threads does over and over: an operation chosen by its share, on an item chosen at random. */
struct floor_load {
    struct floor_place place;
    const struct floor_item *items;
    size_t item_count;
    const void *payload;
    size_t size;
    unsigned timeout;
    unsigned threads;
    unsigned sets, deletes, lists, clears; /* of 1,000 operations; the rest are gets */
    uint64_t seed;
};

/* Runs the load for that time; how many operations a second all threads did together. */
double floor_throughput(const struct floor_load *load, uint64_t nanoseconds);

#endif
