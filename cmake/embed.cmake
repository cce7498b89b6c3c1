# Writes a file as a C array, with a zero after it, and its size; without a file, an empty one.
#     cmake -DFILE=... -DNAME=array -DHEADER=header.h -DOUT=array.c -P embed.cmake
set(bytes "")
set(size 0)
if(FILE)
  file(READ ${FILE} bytes HEX)
  string(LENGTH "${bytes}" size)
  math(EXPR size "${size} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(REPEAT "." 80 line) # sixteen bytes
  string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
endif()
file(WRITE ${OUT} "/* Made by cmake/embed.cmake. */\n#include \"${HEADER}\"\n\n"
                  "const unsigned char ${NAME}[] = {\n${bytes}0};\n"
                  "const unsigned long ${NAME}_size = ${size};\n")
