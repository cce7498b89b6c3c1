/* Terms of equal shape share a template: one formula over local leaves, and for each term the
 * leaves it really has. Literals are leaves too, so ten thousand springs are one template. */
#ifndef SAL_COMPILE_TEMPLATE_H
#define SAL_COMPILE_TEMPLATE_H

#include "compile/system.h"

struct sal_template {
    sal_graph          graph; /* its own, small */
    sal_term_kind      kind;
    sal_node           e[2];
    int                coordinates, params, memories, literals; /* local leaves */
    int               *shape; /* the signature it was recognised by */
    int                shape_size;
    unsigned long long hash;
    int                terms; /* how many have this shape */
};

/* The leaves of one term, in the order of its template. */
struct sal_term_leaves {
    int     *coordinate, *param, *memory;
    double  *literal;
    sal_rows rows;
};

/* The local numbers of the constraints of a template's terms. That of a normal comes first, as in
 * the model: its entry in the row of the friction is below the diagonal. */
static inline sal_rows sal_template_rows(const sal_template *t)
{
    return t->kind == SAL_SLIDING ? (sal_rows){1, 0} : (sal_rows){0, -1};
}

/* Sorts terms by their shape. The caller releases what is in sorted, whether that succeeds or not.
 * False when out of memory. */
bool sal_templates_sort(saltus_system *system, const sal_term *terms, int count,
                        sal_template_set *sorted);
void sal_template_set_free(sal_template_set *sorted);

/* For each template the leaves of its terms, instance by instance, but for those left out (by term,
 * may be NULL). False when out of memory. */
bool sal_template_set_instances(const sal_template_set *sorted, const unsigned char *left_out,
                                sal_arena *arena, sal_instances **instances);
/* As sal_template_set_instances, for the terms of the model that are active in these modes (NULL:
 * in any). */
bool sal_template_instances(const saltus_system *system, const int *active, sal_arena *arena,
                            sal_instances **instances);

#endif
