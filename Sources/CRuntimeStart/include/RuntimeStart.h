#pragma once

/* How many words the command line has behind the program's name. */
int start_count(void);

/* The program's name, as it was called. */
const char *start_name(void);

/* These words, as the kernel handed them over. */
char **start_words(void);

/* Has a second thread share the first one's heap: making another costs a tenth of a start. */
void use_one_heap(void);
