# The models of `saltus models`, the one that `saltus new` begins with and its files for editors become arrays in the program,
# so that they are there wherever the program is.
file(GLOB LIBRARY_MODELS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/models/*.lua)
set(LIBRARY_JOIN ${PROJECT_SOURCE_DIR}/cmake/join-library.cmake)
set(LIBRARY_STARTER ${PROJECT_SOURCE_DIR}/cli/starter.lua)
file(GLOB LIBRARY_EDITOR CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cli/editor/*)
set(LIBRARY_SOURCE ${PROJECT_BINARY_DIR}/library_models.c)
add_custom_command(OUTPUT ${LIBRARY_SOURCE}
  COMMAND ${CMAKE_COMMAND} -DMODELS=${PROJECT_SOURCE_DIR}/models -DSTARTER=${LIBRARY_STARTER}
          -DEDITOR=${PROJECT_SOURCE_DIR}/cli/editor
          -DWATCH=${PROJECT_SOURCE_DIR}/cli/watch.js
          -DOUT=${LIBRARY_SOURCE} -P ${LIBRARY_JOIN}
  DEPENDS ${LIBRARY_MODELS} ${LIBRARY_EDITOR} ${LIBRARY_STARTER} ${LIBRARY_JOIN}
          ${PROJECT_SOURCE_DIR}/cli/watch.js VERBATIM
  COMMENT "joining the models")
target_sources(saltus_cli PRIVATE ${LIBRARY_SOURCE})
