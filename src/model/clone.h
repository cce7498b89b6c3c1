/* A copy of a model. */
#ifndef SAL_MODEL_CLONE_H
#define SAL_MODEL_CLONE_H

#include "model/model.h"

/* NULL when out of memory. Free with saltus_model_free. */
saltus_model *sal_model_clone(const saltus_model *model, const saltus_allocator *allocator,
                              saltus_error *err);

#endif
