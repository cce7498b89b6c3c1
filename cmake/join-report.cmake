# Joins web/ and dygraphs into one page and writes it as a C array.
#     cmake -DWEB=... -DOPERATIONS=ops.def -DJS=... -DCSS=... -DLICENCE=... -DOUT=page.c -P join-report.cmake
# The modules of web/ become one: their imports and the word export are dropped, and they stand in
# the order below, each after those it needs. Their names must differ (tests/web checks that).
set(modules data format dom tape predict theme clock series contacts reactions scene motion whatif
    gradient bands plots events checks model download main)

# The page computes drawings itself, so it needs every operation that a user can write.
file(STRINGS ${OPERATIONS} rows REGEX "^OP\\(")
file(READ ${WEB}/tape.js tape)
foreach(row IN LISTS rows)
  string(REGEX REPLACE "^OP\\(([A-Z0-9_]+),.*" "\\1" name "${row}")
  if(NOT tape MATCHES "[ {]${name}: ")
    message(FATAL_ERROR "the table of operations in web/tape.js lacks ${name}, which is in ${OPERATIONS}: "
                        "add its value in JavaScript, then draw something with it")
  endif()
endforeach()

# CMake splits lists at semicolons and gives brackets a meaning: files are read as hexadecimal
# digits, in which neither occurs, and put together so.
function(read_hex file result)
  file(READ ${file} hex HEX)
  set(${result} "${hex}" PARENT_SCOPE)
endfunction()
function(hex_of text result)
  file(WRITE "${OUT}.part" "${text}")
  read_hex("${OUT}.part" hex)
  file(REMOVE "${OUT}.part")
  set(${result} "${hex}" PARENT_SCOPE)
endfunction()

set(source "/* Made by cmake/join-report.cmake. */\n#include \"report.h\"\n\n")
if(NOT EXISTS "${JS}" OR NOT EXISTS "${CSS}" OR NOT EXISTS "${LICENCE}")
  file(WRITE ${OUT} "${source}const unsigned char cli_report_page[] = {0};\n"
                    "const unsigned long cli_report_page_size = 0;\n")
  return()
endif()

# A module without "import ...;" lines and without "export " in front of what it declares.
function(read_module file result)
  read_hex(${file} hex)
  hex_of("\nimport " import)
  hex_of("\nexport " export)
  hex_of("\n" newline)
  set(hex "${newline}${hex}")
  string(REPLACE "${export}" "${newline}" hex "${hex}")
  string(FIND "${hex}" "${import}" at)
  while(NOT at EQUAL -1)
    string(SUBSTRING "${hex}" 0 ${at} head)
    string(SUBSTRING "${hex}" ${at} -1 tail)
    hex_of(";\n" end)
    string(FIND "${tail}" "${end}" stop)
    math(EXPR stop "${stop} + 2")
    string(SUBSTRING "${tail}" ${stop} -1 tail)
    set(hex "${head}${tail}")
    string(FIND "${hex}" "${import}" at)
  endwhile()
  set(${result} "${hex}" PARENT_SCOPE)
endfunction()

set(script "")
foreach(module ${modules})
  read_module(${WEB}/${module}.js one)
  string(APPEND script "${one}")
endforeach()
read_hex(${WEB}/page.html page)
read_hex(${WEB}/style.css style)
read_hex(${JS} library)
read_hex(${CSS} library_style)
read_hex(${LICENCE} licence)
# The source maps of the library are not shipped.
hex_of("# sourceMappingURL=" map)
string(REPLACE "${map}" "" library "${library}")
string(REPLACE "${map}" "" library_style "${library_style}")
foreach(part style script library library_style licence)
  string(TOUPPER "@SALTUS-${part}@" mark)
  hex_of("${mark}" hex)
  string(REPLACE "${hex}" "${${part}}" page "${page}")
endforeach()
string(LENGTH "${page}" length)
math(EXPR length "${length} / 2")
# Sixteen bytes per line.
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," page "${page}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" page "${page}")
file(WRITE ${OUT} "${source}const unsigned char cli_report_page[] = {\n${page}0};\n"
                  "const unsigned long cli_report_page_size = ${length};\n")
