/* Lets the Swift runtime start where /proc is not mounted: a static one looks in /proc/self/exe for where a backtracer may
   be, and ends the process where it can't. Told where to look, it finds none and goes on. */

#include "RuntimeStart.h"

#include <malloc.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

static const char variable[] = "SWIFT_ROOT";
static bool is_ours;
static int count;
static char **words;

/* Before the constructors of the runtime, which have no priority. */
__attribute__((constructor(102))) static void prepare_start(int all, char **first)
{
    count = all - 1;
    words = first + 1;
    if (access("/proc/self/exe", F_OK) != 0 && !getenv(variable))
        is_ours = setenv(variable, "/nonexistent", 0) == 0;
}

int start_count(void) { return count; }

char **start_words(void) { return words; }

void use_one_heap(void) { mallopt(M_ARENA_MAX, 1); }

void finish_start(void)
{
    if (is_ours)
        unsetenv(variable);
}
