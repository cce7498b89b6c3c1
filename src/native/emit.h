/* From programs to C.
 *
 * Each part of a kernel becomes one function of the type sal_code, which does what sal_kernel_eval
 * does with the part, bit for bit: the same operations on the same numbers, fused where the program
 * is fused, and added to the outputs in the same order. The text consists of names and hexadecimal
 * numbers that are made here: it contains nothing of a user's text. */
#ifndef SAL_NATIVE_EMIT_H
#define SAL_NATIVE_EMIT_H

#include "native/text.h"
#include "program/kernel.h"

/* Writes what all functions need: helpers for the operations, and vectors of the machine's width.
 */
void sal_emit_head(sal_text *text);

/* Whether the code of a part can be for several lanes, if that is wanted: a loop always is,
 * straight lines if there is anything that differs from lane to lane. */
bool sal_emit_is_wide(const sal_part *part, bool wanted);

/* Whether the code of a part is more than one function: loops over instances never are. */
bool sal_emit_is_cut(const sal_part *part);

/* The function of one part, for any number of lanes or for one only. */
void sal_emit_part(sal_text *text, const sal_part *part, bool wide, const char *name);

/* About how many lines sal_emit_part writes: the time to compile grows with them. */
long long sal_emit_size(const sal_part *part, bool wide);

#endif
