# With SALTUS_LIVE, the library for WebAssembly (live/), which becomes part of the program: reports then simulate in the
# page. So does the playground, a page with an editor. It needs emscripten, and the sources of Lua, SuiteSparse, jansson
# and libmd, which come from the system's distribution into the build folder.
option(SALTUS_LIVE "build the library for WebAssembly: reports that simulate" OFF)

set(LIVE ${PROJECT_BINARY_DIR}/live)
set(LIVE_PARTS engine worker licences)
set(LIVE_engine ${LIVE}/engine.wasm.gz)
set(LIVE_worker ${LIVE}/worker.js.gz)
set(LIVE_licences ${LIVE}/licences.txt.gz)

function(saltus_live_engine)
  find_program(EM_CONFIG em-config)
  find_program(GZIP gzip)
  if(NOT EM_CONFIG OR NOT GZIP OR NOT SALTUS_HAS_PAGES)
    message(FATAL_ERROR "SALTUS_LIVE needs emscripten, gzip, esbuild and dygraphs: 'make live' installs them")
  endif()
  execute_process(COMMAND ${EM_CONFIG} EMSCRIPTEN_ROOT OUTPUT_VARIABLE emscripten
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  cmake_host_system_information(RESULT processors QUERY NUMBER_OF_LOGICAL_CORES)
  set(packages lua5.4 suitesparse jansson libmd)
  set(sources ${LIVE}/sources)
  set(source ${PROJECT_SOURCE_DIR}/live)

  add_custom_command(OUTPUT ${sources}/complete
    COMMAND ${source}/fetch-sources ${sources} ${packages}
    COMMAND ${CMAKE_COMMAND} -E touch ${sources}/complete
    DEPENDS ${source}/fetch-sources VERBATIM COMMENT "fetching sources for the engine of live pages")
  # A build of its own, with another compiler, which tracks changes itself. NODE_PATH: a Node from elsewhere
  # does not find Debian's modules, which emscripten uses.
  add_custom_target(live_engine
    COMMAND ${CMAKE_COMMAND} -E env NODE_PATH=/usr/share/nodejs
            ${CMAKE_COMMAND} -S ${source} -B ${LIVE}/build -DSALTUS_SOURCES=${sources}
            -DSALTUS_VERSION=${PROJECT_VERSION} -DSALTUS_WERROR=${SALTUS_WERROR}
            -DCMAKE_TOOLCHAIN_FILE=${emscripten}/cmake/Modules/Platform/Emscripten.cmake
    COMMAND ${CMAKE_COMMAND} -E env NODE_PATH=/usr/share/nodejs
            ${CMAKE_COMMAND} --build ${LIVE}/build --parallel ${processors}
    BYPRODUCTS ${LIVE}/build/engine.js ${LIVE}/build/engine.wasm
    DEPENDS ${sources}/complete VERBATIM COMMENT "building the engine of live pages")
  add_custom_command(OUTPUT ${LIVE_engine}
    COMMAND ${GZIP} -9 -n -c ${LIVE}/build/engine.wasm > ${LIVE_engine}
    DEPENDS live_engine ${LIVE}/build/engine.wasm VERBATIM)
  add_custom_command(OUTPUT ${LIVE_worker}
    COMMAND ${ESBUILD} ${PROJECT_SOURCE_DIR}/web/live_worker.js --bundle --minify --target=es2022
            --log-level=warning --outfile=${LIVE}/worker.js
    COMMAND ${ESBUILD} ${LIVE}/build/engine.js --minify --target=es2022 --log-level=error
            --outfile=${LIVE}/engine.js
    COMMAND ${CMAKE_COMMAND} -E cat ${LIVE}/engine.js ${LIVE}/worker.js > ${LIVE}/joined.js
    COMMAND ${GZIP} -9 -n -c ${LIVE}/joined.js > ${LIVE_worker}
    DEPENDS live_engine ${LIVE}/build/engine.js ${WEB_SOURCES} VERBATIM)
  set(licences "")
  foreach(package ${packages})
    list(APPEND licences ${sources}/${package}/debian/copyright)
  endforeach()
  add_custom_command(OUTPUT ${LIVE_licences}
    COMMAND ${CMAKE_COMMAND} -E cat ${source}/LICENCES.txt ${licences} /usr/share/doc/emscripten/copyright
            /usr/share/common-licenses/LGPL-2.1 > ${LIVE}/licences.txt
    COMMAND ${GZIP} -9 -n -c ${LIVE}/licences.txt > ${LIVE_licences}
    DEPENDS ${sources}/complete ${source}/LICENCES.txt VERBATIM)
endfunction()

# The playground, one page with an editor: CodeMirror, which npm brings into the build folder.
function(saltus_playground)
  find_program(NPM npm)
  find_program(NODE NAMES node nodejs)
  if(NOT NPM OR NOT NODE)
    message(FATAL_ERROR "SALTUS_LIVE needs npm, for the editor of the playground: 'make live' installs it")
  endif()
  set(source ${PROJECT_SOURCE_DIR}/live/playground)
  set(npm ${LIVE}/npm)
  set(packages ${source}/package.json ${source}/package-lock.json ${source}/.npmrc)
  file(GLOB models CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/models/*.lua)

  add_custom_command(OUTPUT ${npm}/complete
    COMMAND ${CMAKE_COMMAND} -E make_directory ${npm}
    COMMAND ${CMAKE_COMMAND} -E copy ${packages} ${npm}
    COMMAND ${CMAKE_COMMAND} -E chdir ${npm} ${NPM} ci --no-progress --loglevel=error
    COMMAND ${CMAKE_COMMAND} -E touch ${npm}/complete
    DEPENDS ${packages} VERBATIM COMMENT "fetching the editor of the playground")
  add_custom_command(OUTPUT ${LIVE}/playground.html
    COMMAND ${CMAKE_COMMAND} -E env NODE_PATH=${npm}/node_modules
            ${ESBUILD} ${PROJECT_SOURCE_DIR}/web/playground.js --bundle --minify --format=esm --target=es2022
            --charset=utf8 --log-level=warning --outfile=${LIVE}/playground.js
    COMMAND ${ESBUILD} ${PROJECT_SOURCE_DIR}/web/playground.css --minify --charset=utf8 --log-level=warning
            --outfile=${LIVE}/playground.css
    COMMAND ${NODE} ${source}/join.mjs ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${LIVE}/playground.html
    DEPENDS ${npm}/complete ${source}/join.mjs ${WEB_SOURCES} ${models} ${LIVE_engine} ${LIVE_worker} ${LIVE_licences}
            ${PROJECT_BINARY_DIR}/report_page.c # made together with the page of the report
    VERBATIM COMMENT "bundling the playground")
endfunction()

if(SALTUS_LIVE)
  saltus_live_engine()
  saltus_playground()
endif()
foreach(part ${LIVE_PARTS})
  set(file "")
  if(SALTUS_LIVE)
    set(file ${LIVE_${part}})
  endif()
  add_custom_command(OUTPUT ${LIVE}/${part}.c
    COMMAND ${CMAKE_COMMAND} -DFILE=${file} -DNAME=cli_live_${part} -DHEADER=report.h
            -DOUT=${LIVE}/${part}.c -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${file} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake VERBATIM)
  target_sources(saltus_cli PRIVATE ${LIVE}/${part}.c)
endforeach()
if(SALTUS_LIVE)
  add_custom_target(live ALL DEPENDS ${LIVE}/playground.html)
  add_dependencies(live saltus_cli) # both make the same parts: not at the same time
endif()
