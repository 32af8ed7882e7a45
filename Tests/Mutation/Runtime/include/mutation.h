#pragma once

#include <stdbool.h>

/* Mutants have the numbers from 0 to this one less 1. */
#define MUTATION_LIMIT 8192

/* A byte for each mutant. The first are set for those that are active, the second become set when the mutant's line runs. */
extern unsigned char mutation_active[MUTATION_LIMIT];
extern unsigned char *mutation_reached;

/* Whether a mutant is active: whether the variable MUTANTS_ACTIVE names its number ("5" or "5,17"). If MUTANTS_REACHED names a
 * file of MUTATION_LIMIT bytes, records there that the mutant's line has run, in whichever process. */
static inline bool mutation_is_active(int mutant) {
    mutation_reached[mutant] = 1;
    return mutation_active[mutant];
}
