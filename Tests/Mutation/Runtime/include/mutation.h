#pragma once

#include <stdbool.h>

/* Mutants have the numbers from 0 to this one less 1. */
#define MUTATION_LIMIT 8192

/* Whether a mutant is active: whether the variable MUTANTS_ACTIVE names its number ("5" or "5,17"). If MUTANTS_REACHED names a
 * file of MUTATION_LIMIT bytes, records there that the mutant's line has run, in whichever process. */
bool mutation_is_active(int mutant);
