/* The words of the model language. */
#ifndef SAL_SCRIPT_WORDS_WORDS_H
#define SAL_SCRIPT_WORDS_WORDS_H

enum sal_word {
    SAL_NO_WORD,
    SAL_WORD,      /* a script may use it, and cannot assign it */
    SAL_WORD_LATER /* it will have a meaning in a later version: neither use nor assignment */
};

enum sal_word sal_lua_word_kind(const char *name);

#endif
