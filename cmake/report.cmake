# The page of `saltus report`: the modules and styles of web/, with one made from the table of operations, bundled and
# minified by esbuild, and the system's dygraphs in one file, which becomes an array in the program. Where esbuild or
# dygraphs is missing, everything else is built.
find_program(ESBUILD esbuild DOC "bundles the page of the report")
find_file(DYGRAPHS_JS dygraph.min.js PATHS /usr/share/javascript/dygraphs NO_DEFAULT_PATH
          DOC "dygraphs, from libjs-dygraphs")
find_file(DYGRAPHS_CSS dygraph.min.css PATHS /usr/share/javascript/dygraphs NO_DEFAULT_PATH
          DOC "the style of dygraphs")
# A page contains dygraphs, whose licence requires its text to be included.
find_file(DYGRAPHS_LICENCE copyright PATHS /usr/share/doc/libjs-dygraphs NO_DEFAULT_PATH
          DOC "the licence of dygraphs")
set(SALTUS_HAS_PAGES OFF)
if(NOT ESBUILD)
  message(STATUS "esbuild is not installed: saltus is built without 'report'")
elseif(NOT DYGRAPHS_JS OR NOT DYGRAPHS_CSS)
  message(STATUS "dygraphs (libjs-dygraphs) is not installed: saltus is built without 'report'")
elseif(NOT DYGRAPHS_LICENCE)
  message(STATUS "the licence of dygraphs is not where its package has it: saltus is built without "
                 "'report' (give -DDYGRAPHS_LICENCE=FILE)")
else()
  set(SALTUS_HAS_PAGES ON)
endif()

file(GLOB WEB_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/*.js
     ${PROJECT_SOURCE_DIR}/web/*.css ${PROJECT_SOURCE_DIR}/web/*.html)

# Makes the array cli_NAME_page of the program from web/HTML, whose script begins at web/ENTRY and
# whose style is web/STYLE. The page itself is left in pages/NAME.html of the build folder.
function(saltus_page name html entry style)
  set(source ${PROJECT_BINARY_DIR}/${name}_page.c)
  set(pages ${PROJECT_BINARY_DIR}/pages)
  set(modules ${pages}/${name})
  set(commands "")
  if(SALTUS_HAS_PAGES)
    set(commands
      COMMAND ${CMAKE_COMMAND} -E copy_directory ${PROJECT_SOURCE_DIR}/web ${modules}
      COMMAND ${CMAKE_COMMAND} -DCC=${CMAKE_C_COMPILER} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUT=${modules}/operations.js
              -P ${PROJECT_SOURCE_DIR}/cmake/operations.cmake
      COMMAND ${ESBUILD} ${modules}/${entry} --bundle --minify --format=esm --target=es2022
              --charset=utf8 --log-level=warning --outfile=${pages}/${name}.js
      COMMAND ${ESBUILD} ${modules}/${style} --bundle --minify --charset=utf8
              --log-level=warning --outfile=${pages}/${name}.css
      COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DPAGE=${PROJECT_SOURCE_DIR}/web/${html} -DOUT=${pages}/${name}.html
              -DHEAD=${PROJECT_SOURCE_DIR}/web/head.html -DSCRIPT=${pages}/${name}.js -DSTYLE=${pages}/${name}.css
              -DLIBRARY=${DYGRAPHS_JS}
              -DLIBRARY_STYLE=${DYGRAPHS_CSS} -DLICENCE=${DYGRAPHS_LICENCE}
              -P ${PROJECT_SOURCE_DIR}/cmake/join-page.cmake)
  endif()
  add_custom_command(OUTPUT ${source} ${commands}
    COMMAND ${CMAKE_COMMAND} -DFILE=$<$<BOOL:${SALTUS_HAS_PAGES}>:${pages}/${name}.html>
            -DNAME=cli_${name}_page -DHEADER=report.h -DOUT=${source}
            -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${WEB_SOURCES} ${PROJECT_SOURCE_DIR}/web/operations.h ${PROJECT_SOURCE_DIR}/src/expr/ops.def
            ${PROJECT_SOURCE_DIR}/cmake/operations.cmake ${PROJECT_SOURCE_DIR}/cmake/join-page.cmake
            ${PROJECT_SOURCE_DIR}/cmake/embed.cmake $<$<BOOL:${SALTUS_HAS_PAGES}>:${DYGRAPHS_JS}>
    VERBATIM COMMENT "bundling the page ${name}")
  target_sources(saltus_cli PRIVATE ${source})
endfunction()

saltus_page(report page.html main.js style.css)
saltus_page(sweep sweep.html sweep.js sweep.css)
