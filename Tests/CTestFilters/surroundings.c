#define _GNU_SOURCE
#include "filters.h"

#include <malloc.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* The environment variables that the command reads, the resource limits and the umask must not depend on the user who
 * runs the tests. Tests run in this process or in its children, so it is enough to set all of this once, before the
 * first test. Without root, a limit can be raised only up to its hard limit. */

static void raise_to(int resource, rlim_t least) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur >= least) return;
    struct rlimit wanted = {.rlim_cur = least, .rlim_max = limit.rlim_max < least ? least : limit.rlim_max};
    if (setrlimit(resource, &wanted) == 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(resource, &limit);
}

__attribute__((constructor)) static void put_right(void) {
    static const char *const names[] = {"SKR_SCOPE", "SKR_NAMESPACE", "SKR_TIMEOUT"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) unsetenv(names[i]);
    raise_to(RLIMIT_NOFILE, 1024);
    raise_to(RLIMIT_STACK, 8 << 20);
    raise_to(RLIMIT_MEMLOCK, 8 << 20);
    static const int unlimited[] = {RLIMIT_AS, RLIMIT_CPU, RLIMIT_DATA, RLIMIT_FSIZE};
    for (size_t i = 0; i < sizeof unlimited / sizeof *unlimited; i++) raise_to(unlimited[i], RLIM_INFINITY);
    umask(022);
}

long test_heap_size(void) {
    struct mallinfo2 info = mallinfo2();
    return (long)(info.uordblks + info.hblkhd);
}
