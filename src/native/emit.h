/* From programs to C.
 *
 * Each part of a kernel becomes one function of the type sal_code, which gives the same bits as
 * sal_kernel_eval: the same operations on the same numbers, fused where the program has fused
 * operations, and added to the outputs in the same order. The generated text contains no text of
 * the user, only names made here and hexadecimal numbers. */
#ifndef SAL_NATIVE_EMIT_H
#define SAL_NATIVE_EMIT_H

#include "native/text.h"
#include "program/kernel.h"

/* Writes what all functions need: definitions of operations and of the machine's vectors. */
void sal_emit_head(sal_text *text);

/* Whether the code of a part is for any number of lanes. A loop always is; straight-line code is if
 * `wanted` is set and some input differs from lane to lane. */
bool sal_emit_is_wide(const sal_part *part, bool wanted);

/* Whether the code of a part is cut into several functions. Loops over instances never are. */
bool sal_emit_is_cut(const sal_part *part);

/* Writes the function of a part. wide: for any number of lanes, if sal_emit_is_wide permits it. */
void sal_emit_part(sal_text *text, const sal_part *part, bool wide, const char *name);

/* Estimates how many lines sal_emit_part writes; the time to compile grows with them. */
long long sal_emit_size(const sal_part *part, bool wide);

#endif
