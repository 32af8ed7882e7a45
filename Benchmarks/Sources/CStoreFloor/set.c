#include "floor.h"

#include <errno.h>
#include <keyutils.h>
#include <time.h>

static int is_flagged(const struct floor_place *place)
{
    if (keyctl_search(place->leases, "user", place->flag, 0) >= 0)
        return 1;
    return errno == ENOKEY ? 0 : -1;
}

static long milliseconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_BOOTTIME, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

int floor_set(const struct floor_place *place, struct floor_item item, const void *payload, size_t size, unsigned timeout)
{
    long look = milliseconds();
    if (is_flagged(place) != 0)
        return -1;

    key_serial_t key = add_key("user", item.name, payload, size, KEY_SPEC_THREAD_KEYRING);
    if (key < 0)
        return -1;
    if (keyctl_setperm(key, KEY_POS_ALL) < 0 || keyctl_set_timeout(key, timeout) < 0)
        return -1;
    while (milliseconds() - look >= 10) {
        look = milliseconds();
        if (is_flagged(place) != 0)
            return -1;
    }
    if (keyctl_move(key, KEY_SPEC_THREAD_KEYRING, place->items, 0) < 0)
        return -1;
    return milliseconds() - look >= 15 && is_flagged(place) != 0 ? -1 : 0;
}

static int has_updates(const struct floor_place *place)
{
    int is_current = floor_is_current(place->anchor, place->leases_name, place->leases);
    return is_current == 1 ? is_flagged(place) : -1;
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
    long look = milliseconds();
    if (has_updates(place) != 0)
        return -1;
    int removed = remove_item(place, name);
    return removed < 0 || (milliseconds() - look >= 15 && has_updates(place) != 0) ? -1 : removed;
}
