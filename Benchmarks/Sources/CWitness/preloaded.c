#define _GNU_SOURCE
#include "witness.h"

#include <dlfcn.h>

static long ask(const char *name)
{
    long (*count)(void) = (long (*)(void))dlsym(RTLD_DEFAULT, name);
    return count ? count() : -1;
}

long witness_allocations(void)
{
    return ask("preloaded_allocations");
}

long witness_locks(void)
{
    return ask("preloaded_locks");
}
