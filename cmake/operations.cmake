# Writes OUT, the module operations.js of a page: the operations of src/expr/ops.def in JavaScript.
# CC preprocesses SOURCE/web/operations.h; what it leaves is C expressions, which JavaScript can read
# once functions come from `c` (web/c_functions.js) and casts are calls of Number.
cmake_minimum_required(VERSION 3.22)
execute_process(COMMAND ${CC} -E -P -I${SOURCE}/src -x c ${SOURCE}/web/operations.h
                OUTPUT_VARIABLE rows COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "([a-z_][a-z_0-9]*)\\(" "c.\\1(" rows "${rows}")
string(REPLACE "(double)" "Number" rows "${rows}")
string(STRIP "${rows}" rows)

# The functions of math.h that JavaScript's Math has.
set(known abs acos acosh asin asinh atan atan2 atanh cbrt ceil cos cosh exp expm1 floor hypot log log10 log1p log2
    sin sinh sqrt tan tanh trunc)
file(READ ${SOURCE}/web/c_functions.js functions)
string(REGEX MATCHALL "c\\.[a-z_0-9]+" called "${rows}")
list(REMOVE_DUPLICATES called)
foreach(call ${called})
  string(SUBSTRING ${call} 2 -1 name)
  if(NOT name IN_LIST known AND NOT functions MATCHES "\n  ${name}[:,]")
    message(FATAL_ERROR "src/expr/ops.def calls ${name}(), which JavaScript's Math does not have: add it to "
                        "web/c_functions.js, for drawings in the pages of 'saltus report'")
  endif()
endforeach()
file(WRITE ${OUT} "// Made from src/expr/ops.def.\nimport {c} from \"./c_functions.js\";\n\n"
                  "export const operations = {\n${rows}\n};\n")
