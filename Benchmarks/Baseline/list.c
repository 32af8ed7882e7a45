#include "baseline.h"

#include <errno.h>
#include <keyutils.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads the members of a ring into memory that the caller frees. Returns the number of members. */
static long members(int32_t ring, key_serial_t **serials)
{
    long room, size = 4096;
    *serials = NULL;
    do {
        room = size + 256;
        free(*serials);
        *serials = malloc((size_t)room);
        size = *serials ? keyctl_read(ring, (char *)*serials, (size_t)room) : -1;
    } while (size > room);
    return size < 0 ? -1 : size / (long)sizeof **serials;
}

/* Finds the parts of "type;uid;gid;permissions;kind:service:account"; returns 0 if it is not an item. */
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

/* Describes the members in the text buffer, and points `names` to those of live items. Returns their number. */
static long describe(const key_serial_t *serials, long count, const char **names, char *text, char *end, int with_sizes)
{
    long items = 0;
    for (long i = 0; i < count; i++) {
        long size = keyctl_describe(serials[i], text, (size_t)(end - text));
        if (size > end - text) {
            errno = ENOMEM;
            return -1;
        }
        if (size >= 0 && with_sizes && is_item(text) && keyctl_read(serials[i], NULL, 0) < 0)
            size = -1;
        if (size < 0 && errno != ENOKEY && errno != EACCES && errno != EKEYEXPIRED && errno != EKEYREVOKED)
            return -1;
        if (size < 0 || !is_item(text))
            continue;
        names[items++] = text;
        text += size;
    }
    return items;
}

static long list(const struct baseline *baseline, int with_sizes)
{
    key_serial_t *serials;
    if (baseline_is_current(baseline) != 1)
        return -1;
    long items = -1, count = members(baseline->ring, &serials);
    /* The names in the benchmarks have about 30 bytes, so 96 are enough for a description. */
    size_t room = (size_t)(count < 0 ? 0 : count) * 96 + 4096;
    const char **names = malloc((size_t)(count < 0 ? 0 : count) * sizeof *names + 1);
    char *texts = malloc(room);
    if (count >= 0 && names && texts && (items = describe(serials, count, names, texts, texts + room, with_sizes)) > 0)
        qsort(names, (size_t)items, sizeof *names, ascending);
    free(texts);
    free(names);
    free(serials);
    return items;
}

long baseline_list(const struct baseline *baseline)
{
    return list(baseline, 0);
}

/* Gets the serial and the time left from each line of /proc/keys. Returns the number of lines. */
static long read_table(void)
{
    static char buffer[1 << 20];
    char line[8192];
    long lines = 0;
    FILE *table = fopen("/proc/keys", "re");
    if (!table)
        return -1;
    setvbuf(table, buffer, _IOFBF, sizeof buffer);
    while (fgets(line, sizeof line, table)) {
        unsigned serial;
        int usage;
        char flags[8], left[8];
        lines += sscanf(line, "%8x %7s %d %7s", &serial, flags, &usage, left) == 4;
    }
    fclose(table);
    return lines;
}

long baseline_items(const struct baseline *baseline)
{
    long items = list(baseline, 1);
    return items < 0 || read_table() < 0 ? -1 : items;
}
