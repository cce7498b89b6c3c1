/* Terms of equal shape share a template: one formula over local leaves, and for each term the
 * actual leaves that these stand for. Literals are leaves too, so ten thousand springs are one
 * template. */
#ifndef SAL_COMPILE_TEMPLATE_H
#define SAL_COMPILE_TEMPLATE_H

#include "compile/system.h"

struct sal_template {
    sal_graph          graph; /* a small graph of its own */
    sal_term_kind      kind;
    sal_node           e[2];
    int                coordinates, params, memories, literals; /* numbers of local leaves */
    int               *shape; /* the signature that all its terms have: see template.c */
    int                shape_size;
    unsigned long long hash;  /* hash value of the shape */
    int                terms; /* number of terms of this shape */
};

/* The leaves of one term, in the order of its template. */
struct sal_term_leaves {
    int     *coordinate, *param, *memory;
    double  *literal;
    sal_rows rows;
};

/* Returns the local numbers of the constraints of a template's terms. A normal has a lower number
 * than its friction, as in the model, so that the entry of both is in the lower triangle. */
static inline sal_rows sal_template_rows(const sal_template *t)
{
    return t->kind == SAL_SLIDING ? (sal_rows){1, 0} : (sal_rows){0, -1};
}

/* Sorts terms by shape. False when out of memory. The caller must call sal_template_set_free in
 * either case. */
bool sal_templates_sort(saltus_system *system, const sal_term *terms, int count,
                        sal_template_set *sorted);
void sal_template_set_free(sal_template_set *sorted);

/* Lists for each template the leaves of its terms as instances, without the terms that are left out
 * (left_out: by term; NULL: none). False when out of memory. */
bool sal_template_set_instances(const sal_template_set *sorted, const unsigned char *left_out,
                                sal_arena *arena, sal_instances **instances);
/* Lists the instances of the terms of the model that are active in these modes (NULL: of all
 * terms). False when out of memory. */
bool sal_template_instances(const saltus_system *system, const int *active, sal_arena *arena,
                            sal_instances **instances);

#endif
