#include "floor.h"

#include <errno.h>
#include <keyutils.h>

enum { LARGEST_READ = 32768, MEMBERS = 256 };

int floor_is_current(int32_t anchor, const char *name, int32_t ring)
{
    key_serial_t members[MEMBERS];
    long found = keyctl_search(anchor, "keyring", name, 0);
    if (found < 0)
        return errno == ENOKEY ? 0 : -1;
    /* The search goes on into nested keyrings, where another scope's ring of the same name may be. */
    long length = keyctl_read(anchor, (char *)members, sizeof members);
    if (length < 0)
        return -1;
    for (size_t i = 0; i < (size_t)length / sizeof *members && i < MEMBERS; i++)
        if (members[i] == found)
            return found == ring;
    return 0;
}

long floor_get(const struct floor_place *place, const char *name)
{
    char buffer[LARGEST_READ];
    for (;;) {
        long key = keyctl_search(place->items, "user", name, 0);
        if (key < 0 && (errno == ENOKEY || errno == EKEYEXPIRED || errno == EKEYREVOKED))
            return floor_is_current(place->anchor, place->items_name, place->items) == 1 ? 0 : -1;
        if (key < 0)
            return -1;
        long size = keyctl_read((key_serial_t)key, buffer, sizeof buffer);
        /* Else the optimizer may find that nobody looks at the buffer. */
        __asm__ volatile("" : : "r"(buffer) : "memory");
        if (size >= 0)
            return size;
        /* Displaced between the two calls; the search finds its successor. */
        if (errno != ENOKEY && errno != EACCES && errno != EKEYREVOKED && errno != EKEYEXPIRED)
            return -1;
    }
}
