/* Gravity on point masses: see gravity.h. */
#include "mech/gravity.h"

#include "model/model.h"

void sal_gravity_add_mass(saltus_model *model, saltus_point p, saltus_expr m, saltus_modes modes)
{
    if (sal_model_failed(model)) return;
    const sal_point_mass row = {
        sal_model_node(model, p.x, "a point"), sal_model_node(model, p.y, "a point"),
        sal_model_node(model, m, "a mass"), sal_model_modes(model, modes), model->place};
    if (sal_model_failed(model)) return;
    SAL_MODEL_PUSH(model, &model->point_masses, row);
}

void saltus_gravity(saltus_model *model, saltus_expr gx, saltus_expr gy, saltus_modes modes)
{
    const sal_gravity row = {sal_model_node(model, gx, "gx in gravity(gx, gy)"),
                             sal_model_node(model, gy, "gy in gravity(gx, gy)"),
                             sal_model_modes(model, modes)};
    const unsigned    allowed = SAL_KIND(T) | SAL_KIND(C) | SAL_KIND(P);
    if (!sal_model_allow(model, row.gx, allowed, "gx in gravity(gx, gy)", "") ||
        !sal_model_allow(model, row.gy, allowed, "gy in gravity(gx, gy)", ""))
        return;
    SAL_MODEL_PUSH(model, &model->gravities, row);
}

void sal_gravity_finish(saltus_model *model)
{
    sal_graph *graph = &model->graph;
    for (int i = 0; i < model->gravities.count; i++)
        for (int k = 0; k < model->point_masses.count; k++) {
            const sal_gravity    *g = &model->gravities.data[i];
            const sal_point_mass *mass = &model->point_masses.data[k];
            const sal_modes       modes = sal_modes_both(model, &g->modes, &mass->modes);
            const sal_node        height =
                sal_add(graph, sal_mul(graph, g->gx, mass->x), sal_mul(graph, g->gy, mass->y));
            if (modes.never || !sal_depends(graph, height, SAL_LEAF_Q)) continue;
            model->place = mass->place;
            sal_model_add_term(model, SAL_POTENTIAL,
                               sal_neg(graph, sal_mul(graph, mass->m, height)), 0, modes);
        }
}
