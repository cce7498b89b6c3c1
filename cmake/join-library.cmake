# Writes the models and the starter as C arrays, each followed by a zero.
#     cmake -DMODELS=folder -DSTARTER=file -DEDITOR=folder -DWATCH=watch.js -DOUT=models.c -P join-library.cmake
function(array_of file name result)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  # Sixteen bytes per line.
  string(REGEX REPLACE "(................................................................................)" "\\1\n" hex "${hex}")
  set(${result} "static const unsigned char ${name}[] = {\n${hex}0};\n" PARENT_SCOPE)
endfunction()

file(GLOB files ${MODELS}/*.lua)
list(SORT files)
set(arrays "")
set(rows "")
set(count 0)
foreach(file ${files})
  get_filename_component(name ${file} NAME_WE)
  array_of(${file} model_${count} array)
  string(APPEND arrays "${array}")
  string(APPEND rows "    {\"${name}\", (const char *)model_${count}},\n")
  math(EXPR count "${count} + 1")
endforeach()
array_of(${STARTER} starter array)
string(APPEND arrays "${array}")
foreach(file saltus.d.lua luarc.json luacheckrc)
  string(MAKE_C_IDENTIFIER ${file} name)
  array_of(${EDITOR}/${file} ${name} array)
  string(APPEND arrays "${array}")
endforeach()
array_of(${WATCH} watch array)
string(REPLACE "static const unsigned char watch[]" "const char cli_watch_script[]" array "${array}")
string(APPEND arrays "${array}")
file(WRITE ${OUT} "/* Made by cmake/join-library.cmake. */\n#include \"library.h\"\n#include \"watch.h\"\n\n${arrays}\n"
                  "const cli_shipped cli_library[] = {\n${rows}};\n"
                  "const int cli_library_count = ${count};\n"
                  "const cli_shipped cli_starter = {\"starter\", (const char *)starter};\n"
                  "const cli_shipped cli_editor_files[] = {{\"saltus.d.lua\", (const char *)saltus_d_lua},\n"
                  "    {\".luarc.json\", (const char *)luarc_json},\n"
                  "    {\".luacheckrc\", (const char *)luacheckrc}};\n")
