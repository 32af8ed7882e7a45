#include "floor.h"
#include "lease.h"

#include <errno.h>
#include <keyutils.h>

static int is_marked(const struct floor_place *place)
{
    if (keyctl_search(place->leases, "user", place->mark, 0) >= 0)
        return 1;
    return errno == ENOKEY ? 0 : -1;
}

/* Moves a staged key to where there is no live item. */
static int create(const struct floor_place *place, const char *lease_name, key_serial_t key)
{
    key_serial_t lease = take_lease(place->leases, lease_name, 2);
    if (lease < 0 || keyctl_move(key, KEY_SPEC_THREAD_KEYRING, place->items, 0) < 0)
        return -1;
    return release_lease(lease, place->leases);
}

int floor_set(const struct floor_place *place, struct floor_item item, const void *payload, size_t size, unsigned timeout)
{
    if (is_marked(place) != 0)
        return -1;

    key_serial_t key = add_key("user", item.name, payload, size, KEY_SPEC_THREAD_KEYRING);
    if (key < 0)
        return -1;
    if (keyctl_setperm(key, KEY_POS_ALL) < 0 || keyctl_set_timeout(key, timeout) < 0)
        return -1;
    if (keyctl_search(place->items, "user", item.name, 0) >= 0) {
        if (keyctl_move(key, KEY_SPEC_THREAD_KEYRING, place->items, 0) < 0)
            return -1;
    } else {
        if (errno != ENOKEY && errno != EKEYEXPIRED && errno != EKEYREVOKED)
            return -1;
        if (create(place, item.lease, key) < 0)
            return -1;
    }
    return is_marked(place) != 0 ? -1 : 0;
}

static int has_updates(const struct floor_place *place)
{
    int is_current = floor_is_current(place->anchor, place->leases_name, place->leases);
    return is_current == 1 ? is_marked(place) : -1;
}

/* 1 if something was there. */
static int remove_item(const struct floor_place *place, const char *name)
{
    for (;;) {
        long key = keyctl_search(place->items, "user", name, 0);
        if (key < 0 && (errno == ENOKEY || errno == EKEYEXPIRED || errno == EKEYREVOKED))
            return floor_is_current(place->anchor, place->items_name, place->items) == 1 ? 0 : -1;
        if (key < 0)
            return -1;
        if (keyctl_unlink((key_serial_t)key, place->items) == 0)
            return 1;
        if (errno == ENOENT)
            return 0;
        /* Displaced between the two calls; the search finds its successor. */
        if (errno != ENOKEY && errno != EACCES)
            return -1;
    }
}

int floor_delete(const struct floor_place *place, const char *name)
{
    if (has_updates(place) != 0)
        return -1;
    int removed = remove_item(place, name);
    if (removed < 0)
        return -1;
    return has_updates(place) != 0 ? -1 : removed;
}
