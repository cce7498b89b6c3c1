/* Shapes: what a model looks like. They are stored apart from the terms and used by api/drawing.c
 * only. */
#include "model/model.h"

static const struct {
    const char *name;
    int         least, most; /* limits of the count of numbers; most 0: any even count */
} shapes[SALTUS_SHAPES] = {
    [SALTUS_SHAPE_POINT] = {"point", 2, 2},   [SALTUS_SHAPE_FIXED] = {"fixed", 2, 2},
    [SALTUS_SHAPE_PIN] = {"pin", 2, 2},       [SALTUS_SHAPE_BODY] = {"body", 3, 3},
    [SALTUS_SHAPE_ARM] = {"arm", 4, 4},       [SALTUS_SHAPE_BAR] = {"bar", 4, 0},
    [SALTUS_SHAPE_ROD] = {"rod", 4, 0},       [SALTUS_SHAPE_SPRING] = {"spring", 4, 0},
    [SALTUS_SHAPE_DAMPER] = {"damper", 4, 0}, [SALTUS_SHAPE_SLOT] = {"slot", 4, 4},
    [SALTUS_SHAPE_FLOOR] = {"floor", 4, 4},   [SALTUS_SHAPE_EDGE] = {"edge", 4, 4},
    [SALTUS_SHAPE_GAP] = {"gap", 4, 4},       [SALTUS_SHAPE_COIL] = {"coil", 4, 4},
    [SALTUS_SHAPE_MOTOR] = {"motor", 3, 3},   [SALTUS_SHAPE_RING] = {"ring", 3, 3},
    [SALTUS_SHAPE_LINE] = {"line", 4, 0},     [SALTUS_SHAPE_DASHED] = {"dashed", 4, 0},
    [SALTUS_SHAPE_GROUND] = {"ground", 4, 0}, [SALTUS_SHAPE_CIRCLE] = {"circle", 3, 4},
    [SALTUS_SHAPE_TRACE] = {"trace", 2, 2},   [SALTUS_SHAPE_CONTACT] = {"contact", 7, 8},
    [SALTUS_SHAPE_GEAR] = {"gear", 4, 4},
};

const char *saltus_shape_name(saltus_shape shape)
{
    return (int)shape >= 0 && shape < SALTUS_SHAPES ? shapes[shape].name : "";
}

static bool has_numbers(saltus_model *model, saltus_shape shape, int count)
{
    if ((int)shape < 0 || shape >= SALTUS_SHAPES) {
        saltus_model_fail(model, "there is no shape number %d", (int)shape);
        return false;
    }
    const int least = shapes[shape].least, most = shapes[shape].most;
    if (count >= least && (most ? count <= most : count % 2 == 0)) return true;
    saltus_model_fail(model, "a %s is drawn by %d numbers or more, not by %d", shapes[shape].name,
                      least, count);
    return false;
}

void saltus_draw(saltus_model *model, saltus_shape shape, const char *name,
                 const saltus_expr *numbers, int count, saltus_modes modes)
{
    if (sal_model_failed(model) || !has_numbers(model, shape, count)) return;
    if (!numbers) {
        saltus_model_fail(model, "a %s is drawn by numbers, and there are none",
                          shapes[shape].name);
        return;
    }
    sal_shape row = {.shape = shape, .first = model->drawn.count, .count = count};
    for (int i = 0; i < count; i++) {
        const sal_node node = sal_model_node(model, numbers[i], "what is drawn");
        if (!sal_model_allow(model, node, SAL_KINDS_STATE, "what is drawn", "")) return;
        SAL_MODEL_PUSH(model, &model->drawn, node);
    }
    row.label = sal_model_label(model, name, NULL, NULL);
    row.modes = sal_model_modes(model, modes);
    SAL_MODEL_PUSH(model, &model->shapes, row);
}
