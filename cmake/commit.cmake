# Writes commit.h: the commit that the source folder is at, "" outside of a git repository; "+" if files were changed since.
cmake_minimum_required(VERSION 3.22)
#     cmake -DGIT=... -DSOURCE=... -DOUT=commit.h -P commit.cmake
set(commit "")
if(GIT AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --short=10 HEAD OUTPUT_VARIABLE commit
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND ${GIT} -C ${SOURCE} diff --quiet HEAD RESULT_VARIABLE changed ERROR_QUIET)
  if(commit AND changed)
    string(APPEND commit "+")
  endif()
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "#define CLI_COMMIT \"@commit@\"\n" @ONLY)
