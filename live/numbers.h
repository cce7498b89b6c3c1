/* Numbers that the page reads from the engine's memory. */
#ifndef LIVE_NUMBERS_H
#define LIVE_NUMBERS_H

/* Frees those of the answers before. */
void live_numbers_forget(void);

#endif
