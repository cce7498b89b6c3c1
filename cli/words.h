/* The words of the model language, explained on the terminal: from saltus.d.lua, the file that
 * editors read. */
#ifndef CLI_WORDS_H
#define CLI_WORDS_H

#include <stdio.h>

/* All words, in groups, with a line on each. */
void cli_words_list(FILE *stream);
/* How the word is written, what it means and what options it has. Returns 0 if there is none. */
int cli_word_explain(FILE *stream, const char *word);
/* The names of all words, to be freed with cli_names_free. */
char **cli_word_names(int *count);

#endif
