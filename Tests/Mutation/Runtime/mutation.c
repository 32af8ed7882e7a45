#include "mutation.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* A byte for each mutant: whether it is active, and whether its line has run if no file records that. */
static unsigned char active[MUTATION_LIMIT], unrecorded[MUTATION_LIMIT];
static unsigned char *reached = unrecorded;

/* Runs before the first Swift code, which may run in other constructors. */
__attribute__((constructor(101))) static void begin(void) {
    const char *rest = getenv("MUTANTS_ACTIVE");
    while (rest != NULL && *rest != '\0') {
        char *end;
        long mutant = strtol(rest, &end, 10);
        if (end == rest) break;
        if (mutant >= 0 && mutant < MUTATION_LIMIT) active[mutant] = 1;
        rest = *end == ',' ? end + 1 : end;
    }

    const char *name = getenv("MUTANTS_REACHED");
    int file = name == NULL ? -1 : open(name, O_RDWR | O_CLOEXEC);
    if (file < 0) return;
    void *shared = mmap(NULL, MUTATION_LIMIT, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (shared != MAP_FAILED) reached = shared;
    close(file);
}

bool mutation_is_active(int mutant) {
    reached[mutant] = 1;
    return active[mutant];
}
