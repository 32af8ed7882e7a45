#pragma once

#include <stdbool.h>

/* Mutants are numbered from 0 to MUTATION_LIMIT - 1. */
#define MUTATION_LIMIT 8192

/* Returns whether a mutant is active: whether the variable MUTANTS_ACTIVE contains its number ("5" or "5,17"). If the
 * variable MUTANTS_REACHED names a file of MUTATION_LIMIT bytes, this also records there that the mutant's line has
 * run, in any process. */
bool mutation_is_active(int mutant);
