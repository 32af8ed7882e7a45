#include "floor.h"

#include <keyutils.h>

enum { LARGEST_READ = 32768 };

long floor_get(int32_t ring, const char *name)
{
    char buffer[LARGEST_READ];
    long key = keyctl_search(ring, "user", name, 0);
    if (key < 0)
        return -1;
    long size = keyctl_read((key_serial_t)key, buffer, sizeof buffer);
    /* Else the optimizer may find that nobody looks at the buffer. */
    __asm__ volatile("" : : "r"(buffer) : "memory");
    return size;
}

int floor_set(int32_t ring, const char *name, const void *payload, size_t size, unsigned timeout)
{
    key_serial_t key = add_key("user", name, payload, size, KEY_SPEC_THREAD_KEYRING);
    if (key < 0)
        return -1;
    if (keyctl_setperm(key, KEY_POS_ALL) < 0 || keyctl_set_timeout(key, timeout) < 0)
        return -1;
    /* Only over a live item may the key be moved just so; the item is there. */
    if (keyctl_search(ring, "user", name, 0) < 0)
        return -1;
    return keyctl_move(key, KEY_SPEC_THREAD_KEYRING, ring, 0) < 0 ? -1 : 0;
}
