#ifndef BASELINE_H
#define BASELINE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* What the store is measured against: the least that a careful C program does over libkeyutils for the same result. What can
   fail returns -1 with errno set. */

/* A namespace, its items, and what is needed to make sure of both. */
struct baseline {
    int32_t anchor; /* links both rings */
    int32_t ring;   /* the namespace's items */
    int32_t leases; /* the leases of all namespaces */
    const char *ring_name;
    const char *leases_name;
    const char *update_flag; /* in the leases' ring where the namespace's writers take turns */
    const char *const *names;
    size_t count; /* of items; one more name follows, which no item has */
    const void *payload;
    size_t size;
    unsigned timeout; /* seconds */
};

/* Whether the anchor's ring of that name is still this one, linked by the anchor itself. */
int baseline_is_current(const struct baseline *baseline);

/* Finds a `user` key in the ring and reads it; the payload's length, or 0 where there is none. A miss is believed only of
   the ring that the anchor links now, for a ring that was removed answers in the same way. */
long baseline_get(const struct baseline *baseline, size_t item);

/* Puts a secret in place of another in one step with its permissions and timeout. It looks whether writers take turns, and at
   the clock, so that the write is through before anybody who makes them do so begins to look. */
int baseline_set(const struct baseline *baseline, size_t item);

/* Removes what is there; 1 if there was something. */
int baseline_delete(const struct baseline *baseline, size_t item);

/* Describes every member, finds the parts of its name, and puts the names in order; how many items there are. */
long baseline_list(const struct baseline *baseline);

/* The same with each item's size, and the time left of all from /proc/keys. */
long baseline_items(const struct baseline *baseline);

/* Removes all members in one call. */
int baseline_clear(const struct baseline *baseline);

/* Takes a lease that a dead holder can't keep, and gives it back so that a successor is never hit. */
int baseline_lease(const struct baseline *baseline);

/* Publishes all items, each complete when it becomes visible. They expire together in the second that begins at DEADLINE, if
   it is not 0. */
int baseline_fill(const struct baseline *baseline, time_t deadline);

/* A secret in a file: opened, read and closed; its length. */
long baseline_file(const char *path);

/* A secret in the Secret Service, by libsecret over one connection, copied to the buffer; its length. */
long baseline_libsecret(const char *service, const char *account, char *buffer, size_t size);

/* Starts a process with a session keyring of its own, as that user; it is killed when we end. Returns 0 in it and its
   process ID here; CHANNEL is the socket to the other one. */
pid_t start_member(uid_t user, int *channel);

#endif
