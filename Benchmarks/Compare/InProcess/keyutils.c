/* keyutils SAMPLES BATCH RING NAME: what a get costs a C program: one search of the keyring, one read. */
#include "measure.h"

#include <keyutils.h>
#include <stdlib.h>

static key_serial_t ring;
static const char *name;

static long get(char *buffer, size_t size)
{
    long key = keyctl_search(ring, "user", name, 0);
    return key < 0 ? -1 : keyctl_read((key_serial_t)key, buffer, size);
}

int main(int count, char **words)
{
    if (count != 5)
        fail("usage: keyutils SAMPLES BATCH RING NAME");
    ring = atoi(words[3]);
    name = words[4];
    measure(words[1], words[2], get);
}
