# The Python package: its files, and the bindings that are made from the headers, in build/python. It needs the
# system's Python with cffi; without it, the rest is built.
set(SALTUS_PYTHON AUTO CACHE STRING "the Python package: ON, OFF, or AUTO (if python3 has cffi)")
if(NOT SALTUS_PYTHON)
  return()
endif()
find_program(SALTUS_PYTHON_PROGRAM python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(SALTUS_PYTHON_PROGRAM)
  execute_process(COMMAND ${SALTUS_PYTHON_PROGRAM} -c "import cffi, sys; print('%d.%d' % sys.version_info[:2])"
                  OUTPUT_VARIABLE python_version OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE missing)
else()
  set(missing 1)
endif()
if(missing)
  if(NOT SALTUS_PYTHON STREQUAL "AUTO")
    message(FATAL_ERROR "the Python package needs python3 and python3-cffi")
  endif()
  message(STATUS "python3-cffi is not installed: the Python package is not built")
  return()
endif()

set(package ${PROJECT_BINARY_DIR}/python/saltus)
file(GLOB python_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/saltus/*.py
     ${PROJECT_SOURCE_DIR}/python/saltus/*.pyi ${PROJECT_SOURCE_DIR}/python/saltus/py.typed)
file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/saltus/*.h)
set(built "")
foreach(file ${python_files})
  get_filename_component(name ${file} NAME)
  add_custom_command(OUTPUT ${package}/${name} COMMAND ${CMAKE_COMMAND} -E copy ${file} ${package}/${name}
                     DEPENDS ${file})
  list(APPEND built ${package}/${name})
endforeach()
add_custom_command(OUTPUT ${package}/_bindings.py
                   COMMAND ${CMAKE_COMMAND} -E make_directory ${package}
                   COMMAND ${SALTUS_PYTHON_PROGRAM} ${PROJECT_SOURCE_DIR}/python/bindings.py
                           ${PROJECT_SOURCE_DIR}/include ${package}/_bindings.py
                   DEPENDS ${headers} ${PROJECT_SOURCE_DIR}/python/bindings.py)
add_custom_target(python_package ALL DEPENDS ${built} ${package}/_bindings.py)
add_dependencies(python_package saltus saltus_program)
set(soname libsaltus.so.${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
file(WRITE ${package}/_place.py
     "# Where the library and the program are, from this folder.\n"
     "LIBRARY = \"../../${soname}\"\nPROGRAM = \"../../saltus\"\n")

# The installed package finds the library by its own place, so that the tree may be moved.
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(python_default lib/python3/dist-packages)
else()
  set(python_default lib/python${python_version}/dist-packages)
endif()
set(SALTUS_PYTHON_DIR ${python_default} CACHE STRING "where the Python package is installed, from the prefix")
set(installed ${SALTUS_PYTHON_DIR}/saltus)
file(RELATIVE_PATH to_library "/${installed}" "/${CMAKE_INSTALL_LIBDIR}/${soname}")
file(RELATIVE_PATH to_program "/${installed}" "/${CMAKE_INSTALL_BINDIR}/saltus")
file(WRITE ${PROJECT_BINARY_DIR}/python/installed/_place.py
     "# Where the library and the program are, from this folder.\n"
     "LIBRARY = \"${to_library}\"\nPROGRAM = \"${to_program}\"\n")
install(FILES ${python_files} ${package}/_bindings.py ${PROJECT_BINARY_DIR}/python/installed/_place.py
        DESTINATION ${installed})
