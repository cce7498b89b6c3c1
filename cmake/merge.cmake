# The folders in which a run spends its time, optimised as one: functions that call each other all the time are in
# different files. gcc compiles them to its intermediate form, and one more call makes a usual object of them all,
# so that the libraries are as usual, and results have the same digits. That call takes some seconds whenever one of
# these files has changed: -DSALTUS_MERGE=OFF while editing.
set(SALTUS_MERGE AUTO CACHE STRING "optimise the folders where runs spend their time as one: ON, OFF, or AUTO (if it can be)")

# Takes the sources of these folders out of the list, and sets SALTUS_MERGED to what is to be linked instead.
macro(saltus_merge sources)
  set(SALTUS_MERGED "")
  set(merge ${SALTUS_MERGE})
  if(merge STREQUAL "AUTO")
    set(merge OFF)
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_C_COMPILER_VERSION VERSION_LESS 10 AND UNIX AND NOT APPLE
       AND CMAKE_BUILD_TYPE MATCHES "^(Release|RelWithDebInfo)$"
       AND NOT SALTUS_SANITIZE AND NOT SALTUS_FUZZ AND NOT SALTUS_TESTS_SHARED)
      set(merge ON)
    endif()
  endif()
  if(merge)
    set(folders ${${sources}})
    list(FILTER folders INCLUDE REGEX "/src/(constraints|contact|jump|linalg|locate|motion|record|run|sens)/")
    list(FILTER folders EXCLUDE REGEX "/vector_sums[_a-z0-9]*\\.c$") # compiled for each kind of vectors
    list(REMOVE_ITEM ${sources} ${folders})
    add_library(saltus_merged OBJECT ${folders})
    saltus_library_objects(saltus_merged)
    target_compile_options(saltus_merged PRIVATE -flto)
    set(SALTUS_MERGED ${PROJECT_BINARY_DIR}/saltus_merged.o)
    string(TOUPPER ${CMAKE_BUILD_TYPE} type)
    separate_arguments(flags UNIX_COMMAND "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${type}}")
    add_custom_command(
      OUTPUT ${SALTUS_MERGED}
      COMMAND ${CMAKE_C_COMPILER} ${flags} -O3 -fPIC -flto=2 -flinker-output=nolto-rel -r -nostdlib
              $<TARGET_OBJECTS:saltus_merged> -o ${SALTUS_MERGED}
      DEPENDS saltus_merged $<TARGET_OBJECTS:saltus_merged>
      COMMAND_EXPAND_LISTS
      VERBATIM
      COMMENT "Optimising the folders where runs spend their time as one")
    add_custom_target(saltus_merged_object DEPENDS ${SALTUS_MERGED})
    set_source_files_properties(${SALTUS_MERGED} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  endif()
endmacro()
