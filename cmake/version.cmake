# What `saltus --version` prints: the commit, looked up in every build, and the versions of libraries.
find_program(GIT_PROGRAM git DOC "git, for the commit in saltus --version")
add_custom_target(saltus_commit BYPRODUCTS ${PROJECT_BINARY_DIR}/commit.h VERBATIM
  COMMAND ${CMAKE_COMMAND} -DGIT=${GIT_PROGRAM} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUT=${PROJECT_BINARY_DIR}/commit.h
          -P ${PROJECT_SOURCE_DIR}/cmake/commit.cmake)
add_dependencies(saltus_cli saltus_commit)

# The numbers of KLU are macros of its header.
file(STRINGS ${KLU_INCLUDE_DIR}/suitesparse/klu.h KLU_LINES REGEX "define KLU_(MAIN|SUB|SUBSUB)_VERSION")
string(REGEX MATCHALL "[0-9]+" KLU_NUMBERS "${KLU_LINES}")
list(JOIN KLU_NUMBERS "." KLU_VERSION)
set_source_files_properties(cli/version.c PROPERTIES INCLUDE_DIRECTORIES ${PROJECT_BINARY_DIR} COMPILE_DEFINITIONS
  "CLI_LUA_VERSION=\"${LUA_VERSION}\";CLI_KLU_VERSION=\"${KLU_VERSION}\";CLI_JANSSON_VERSION=\"${JANSSON_VERSION}\";CLI_SQLITE_VERSION=\"${SQLITE_VERSION}\"")
