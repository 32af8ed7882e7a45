/* file SAMPLES BATCH PATH: what it costs a C program to open, read and close a file. */
#include "measure.h"

#include <fcntl.h>
#include <unistd.h>

static const char *path;

static long get(char *buffer, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return -1;
    long length = read(file, buffer, size);
    return close(file) == 0 ? length : -1;
}

int main(int count, char **words)
{
    if (count != 4)
        fail("usage: file SAMPLES BATCH PATH");
    path = words[3];
    measure(words[1], words[2], get);
}
