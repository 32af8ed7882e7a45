#ifndef BASELINE_H
#define BASELINE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* The baseline: the least that a careful C program does over libkeyutils to get the same results as the store. A
   function that fails returns -1 and sets errno. */

/* A namespace, its items, and the names for finding its keyrings. */
struct baseline {
    int32_t anchor; /* the keyring that links the next two */
    int32_t ring;   /* the keyring with the namespace's items */
    int32_t leases; /* the keyring with the leases of all namespaces */
    const char *ring_name;
    const char *leases_name;
    const char *update_flag; /* the writers use leases if the leases' ring has this key */
    const char *const *names;
    size_t count; /* the number of items; `names` has one more entry, a name without an item */
    const void *payload;
    size_t size;
    unsigned timeout; /* seconds */
};

/* Returns 1 if a search for the ring's name still finds `ring`, linked by the anchor itself; otherwise 0. */
int baseline_is_current(const struct baseline *baseline);

/* Finds an item's `user` key in the ring and reads it. Returns the length of the payload, or 0 if the item does
   not exist. The item counts as absent only if the anchor still links this ring: a ring that was removed gives
   the same answer. */
long baseline_get(const struct baseline *baseline, size_t item);

/* Replaces an item in one step: the secret, its permissions and its timeout become visible together. The function
   looks for the update flag and reads the clock, so that its write is complete before a process that sets the flag
   looks at any item. It fails if the flag is set. */
int baseline_set(const struct baseline *baseline, size_t item);

/* Removes an item. Returns 1, or 0 if the item does not exist. Fails if the update flag is set. */
int baseline_delete(const struct baseline *baseline, size_t item);

/* Describes every member of the ring, parses its name, and sorts the names. Returns the number of items. */
long baseline_list(const struct baseline *baseline);

/* Does the same as baseline_list, and also gets each item's size, and the time left of all items from /proc/keys. */
long baseline_items(const struct baseline *baseline);

/* Removes all members of the ring with one call. */
int baseline_clear(const struct baseline *baseline);

/* Takes a lease that a dead holder can't keep, and releases it in a way that never affects a successor's lease. */
int baseline_lease(const struct baseline *baseline);

/* Stores all items; each is complete when it becomes visible. They all expire in the second that begins at DEADLINE,
   or never if it is 0. */
int baseline_fill(const struct baseline *baseline, time_t deadline);

/* Opens, reads and closes a file that holds a secret. Returns the length of the secret. */
long baseline_file(const char *path);

/* Gets a secret from the Secret Service and copies it to the buffer; libsecret uses one connection for all calls.
   Returns the length of the secret. */
long baseline_libsecret(const char *service, const char *account, char *buffer, size_t size);

/* Starts a process with its own session keyring, as the given user. The kernel kills it when its parent ends. Returns
   0 in the new process and its process ID in the parent; CHANNEL becomes the socket to the other process. */
pid_t start_member(uid_t user, int *channel);

#endif
