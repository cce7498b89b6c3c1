# The models of `saltus models` and the one that `saltus new` begins with become arrays in the program,
# so that they are there wherever the program is.
file(GLOB LIBRARY_MODELS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/models/*.lua)
set(LIBRARY_JOIN ${PROJECT_SOURCE_DIR}/cmake/join-library.cmake)
set(LIBRARY_STARTER ${PROJECT_SOURCE_DIR}/cli/starter.lua)
set(LIBRARY_SOURCE ${PROJECT_BINARY_DIR}/library_models.c)
add_custom_command(OUTPUT ${LIBRARY_SOURCE}
  COMMAND ${CMAKE_COMMAND} -DMODELS=${PROJECT_SOURCE_DIR}/models -DSTARTER=${LIBRARY_STARTER}
          -DOUT=${LIBRARY_SOURCE} -P ${LIBRARY_JOIN}
  DEPENDS ${LIBRARY_MODELS} ${LIBRARY_STARTER} ${LIBRARY_JOIN} VERBATIM
  COMMENT "joining the models")
target_sources(saltus_program PRIVATE ${LIBRARY_SOURCE})
