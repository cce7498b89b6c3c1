# The page of `saltus report`: the files of web/ and the system's dygraphs joined into one, which
# becomes an array in the program. Without dygraphs everything else is built.
find_file(DYGRAPHS_JS dygraph.min.js PATHS /usr/share/javascript/dygraphs NO_DEFAULT_PATH
          DOC "dygraphs, from libjs-dygraphs")
find_file(DYGRAPHS_CSS dygraph.min.css PATHS /usr/share/javascript/dygraphs NO_DEFAULT_PATH
          DOC "the style of dygraphs")
# A page contains dygraphs, whose licence requires its text to be included.
find_file(DYGRAPHS_LICENCE copyright PATHS /usr/share/doc/libjs-dygraphs NO_DEFAULT_PATH
          DOC "the licence of dygraphs")
if(NOT DYGRAPHS_JS OR NOT DYGRAPHS_CSS)
  message(STATUS "dygraphs (libjs-dygraphs) is not installed: saltus is built without 'report'")
elseif(NOT DYGRAPHS_LICENCE)
  message(STATUS "the licence of dygraphs is not where its package has it: saltus is built without "
                 "'report' (give -DDYGRAPHS_LICENCE=FILE)")
endif()

file(GLOB REPORT_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/*.js
     ${PROJECT_SOURCE_DIR}/web/*.css ${PROJECT_SOURCE_DIR}/web/*.html)
set(REPORT_JOIN ${PROJECT_SOURCE_DIR}/cmake/join-report.cmake)
set(REPORT_OPERATIONS ${PROJECT_SOURCE_DIR}/src/expr/ops.def)
set(REPORT_PAGE ${PROJECT_BINARY_DIR}/report_page.c)
add_custom_command(OUTPUT ${REPORT_PAGE}
  COMMAND ${CMAKE_COMMAND} -DWEB=${PROJECT_SOURCE_DIR}/web -DOPERATIONS=${REPORT_OPERATIONS} -DJS=${DYGRAPHS_JS} -DCSS=${DYGRAPHS_CSS}
          -DLICENCE=${DYGRAPHS_LICENCE}
          -DOUT=${REPORT_PAGE} -P ${REPORT_JOIN}
  DEPENDS ${REPORT_SOURCES} ${REPORT_JOIN} ${REPORT_OPERATIONS} $<$<BOOL:${DYGRAPHS_JS}>:${DYGRAPHS_JS}> VERBATIM
  COMMENT "joining the page of the report")
target_sources(saltus_program PRIVATE ${REPORT_PAGE})
