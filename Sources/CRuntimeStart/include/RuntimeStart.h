#pragma once

/* Returns the number of arguments on the command line, without the program's name. */
int start_count(void);

/* Returns the program's name: argv[0]. */
const char *start_name(void);

/* Returns the arguments after the program's name, as the kernel passed them. */
char **start_words(void);
