/* The operations of drawings: cmake/operations.cmake makes operations.js of this list, with one
 * arrow function per row of src/expr/ops.def that users may write. */
#define INNER_OP(...)
#define OP(name, arguments, text, value, ...) name: (a, b) => value,
#include "expr/ops.def"
