#include "floor.h"

#include <errno.h>
#include <keyutils.h>
#include <stdlib.h>
#include <string.h>

enum { MEMBERS = 4096, TEXTS = 262144 };

/* Finds the parts of "type;uid;gid;permissions;kind:service:account"; false for what is no item. */
static int is_item(const char *text)
{
    static const char type[] = "user;";
    if (strncmp(text, type, sizeof type - 1) != 0)
        return 0;
    for (int field = 0; field < 4; field++)
        if (!(text = strchr(text, ';')) || !*++text)
            return 0;
    const char *service = strchr(text, ':');
    if (!service || service[1] == ':' || service[1] == '\0')
        return 0;
    const char *account = strchr(service + 1, ':');
    return account && !strchr(account + 1, ':');
}

static int ascending(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

long floor_list(const struct floor_place *place)
{
    key_serial_t members[MEMBERS];
    const char *names[MEMBERS];
    char texts[TEXTS], *text = texts;
    size_t count = 0;
    if (floor_is_current(place->anchor, place->items_name, place->items) != 1)
        return -1;
    long length = keyctl_read(place->items, (char *)members, sizeof members);
    if (length < 0 || (size_t)length > sizeof members)
        return -1;
    for (size_t i = 0; i < (size_t)length / sizeof *members; i++) {
        long size = keyctl_describe(members[i], text, (size_t)(texts + sizeof texts - text));
        if (size > texts + sizeof texts - text) {
            errno = ENOMEM;
            return -1;
        }
        if (size < 0 && errno != ENOKEY && errno != EACCES && errno != EKEYEXPIRED && errno != EKEYREVOKED)
            return -1;
        if (size < 0 || !is_item(text))
            continue;
        names[count++] = text;
        text += size;
    }
    qsort(names, count, sizeof *names, ascending);
    return (long)count;
}

int floor_clear(const struct floor_place *place)
{
    return keyctl_clear(place->items) < 0 ? -1 : 0;
}

int floor_fill(int32_t ring, const struct floor_item *items, size_t count, const void *payload, size_t size)
{
    for (size_t i = 0; i < count; i++) {
        key_serial_t key = add_key("user", items[i].name, payload, size, ring);
        if (key < 0 || keyctl_setperm(key, KEY_POS_ALL) < 0)
            return -1;
    }
    return 0;
}
