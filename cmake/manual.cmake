# Manual pages from the program's own tables of commands and options: `saltus help --tables`.
# cmake -DPROGRAM=saltus -DOUT=FOLDER -P manual.cmake
cmake_minimum_required(VERSION 3.22)
execute_process(COMMAND ${PROGRAM} help --tables OUTPUT_VARIABLE tables RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} help --tables: ${status}")
endif()
string(JSON version GET "${tables}" saltus)
file(MAKE_DIRECTORY ${OUT})

# Text as roff shows it: no request at the start of a line, hyphens that can be searched for.
function(escaped text result)
  string(REPLACE "\\" "\\e" text "${text}")
  string(REPLACE "-" "\\-" text "${text}")
  string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" text "${text}")
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

# A member of an object, escaped; empty if it is null.
function(member object name result)
  string(JSON type TYPE "${object}" ${name})
  if(type STREQUAL "NULL")
    set(text "")
  else()
    string(JSON text GET "${object}" ${name})
  endif()
  escaped("${text}" text)
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

# Calls do_item with `item` set to each item of an array, a member of the object in this variable.
macro(for_each variable name do_item)
  string(JSON count LENGTH "${${variable}}" ${name})
  math(EXPR last "${count} - 1")
  foreach(index RANGE 0 ${last})
    string(JSON item GET "${${variable}}" ${name} ${index})
    cmake_language(CALL ${do_item})
  endforeach()
endmacro()

function(add_option)
  foreach(field name letter argument default kind help)
    member("${item}" ${field} ${field})
  endforeach()
  set(line ".TP\n")
  if(NOT "${letter}" STREQUAL "")
    string(APPEND line "\\fB\\-${letter}\\fR, ")
  endif()
  string(APPEND line "\\fB\\-\\-${name}\\fR")
  if(NOT "${argument}" STREQUAL "")
    string(APPEND line " \\fI${argument}\\fR")
  endif()
  string(APPEND line "\n${help}")
  if(NOT "${default}" STREQUAL "")
    string(APPEND line " [${default}]")
  endif()
  set(options_${kind} "${options_${kind}}${line}\n" PARENT_SCOPE)
endfunction()

function(add_status)
  member("${item}" status status)
  member("${item}" meaning meaning)
  set(statuses "${statuses}.TP\n.B ${status}\n${meaning}\n" PARENT_SCOPE)
endfunction()

function(write_page name summary text)
  string(TOUPPER "${name}" title)
  escaped("${name}" shown)
  file(WRITE ${OUT}/${name}.1 ".TH \"${title}\" 1 \"\" \"saltus ${version}\" \"User Commands\"\n"
       ".SH NAME\n${shown} \\- ${summary}\n${text}")
endfunction()

# One page per command.
function(add_command)
  foreach(field name group argument summary description examples)
    member("${item}" ${field} ${field})
  endforeach()
  set(options_own "")
  set(options_common "")
  set(options_solver "")
  set(command "${item}")
  for_each(command options add_option)
  # Items, "  name  text", have a paragraph of their own each, and so has what follows them.
  string(REGEX REPLACE "\n([^ ])" "\n.PP\n\\1" description "${description}")
  string(REGEX REPLACE "\n  ([^ ]+) +" "\n.TP\n.B \\1\n" description "${description}")
  set(text ".SH SYNOPSIS\n.B saltus ${name}\n")
  if(NOT "${argument}" STREQUAL "")
    string(APPEND text ".I ${argument}\n")
  endif()
  string(APPEND text "[\\fIOPTION\\fR]...\n.SH DESCRIPTION\n${description}\n")
  string(APPEND text ".SH OPTIONS\n${options_own}")
  if(NOT "${options_common}" STREQUAL "")
    string(APPEND text ".SS Common options\n${options_common}")
  endif()
  if(NOT "${options_solver}" STREQUAL "")
    string(APPEND text ".SS Options of the solver\nThey override \\fBsolver\\fR in the script.\n${options_solver}")
  endif()
  if(NOT "${examples}" STREQUAL "")
    string(APPEND text ".SH EXAMPLES\n.nf\n${examples}.fi\n")
  endif()
  string(APPEND text ".SH EXIT STATUS\n${statuses}.SH SEE ALSO\n.BR saltus (1)\n")
  write_page("saltus-${name}" "${summary}" "${text}")
  set(commands "${commands}.TP\n.B saltus ${name} \\fR\\fI${argument}\\fR\n${summary}; see \\fBsaltus\\-${name}\\fR(1)\n" PARENT_SCOPE)
  set(pages "${pages},\n.BR saltus\\-${name} (1)" PARENT_SCOPE)
endfunction()

set(statuses "")
set(commands "")
set(pages "")
for_each(tables exit_statuses add_status)
for_each(tables commands add_command)
member("${tables}" about about)
string(SUBSTRING "${pages}" 2 -1 pages)
write_page(saltus "simulate mechanisms whose motion jumps, and differentiate it" ".SH SYNOPSIS
.B saltus
.I COMMAND
.RI [ MODEL ]
.RI [ OPTION ]...
.SH DESCRIPTION
${about}
.PP
\\fIMODEL\\fR is a file; \\- is standard input. Options may come before or after it. Results go to standard output, messages to
standard error.
.SH COMMANDS
${commands}.SH EXIT STATUS
${statuses}.SH ENVIRONMENT
.TP
.B NO_COLOR
No colours, if it is set.
.TP
.B CC
The compiler of native code, instead of \\fBcc\\fR.
.SH FILES
.TP
.I $XDG_CACHE_HOME/saltus
Compiled code that is kept, or
.IR ~/.cache/saltus .
.TP
.I share/saltus/models
The models, beside the program's folder. \\fBsaltus models\\fR lists them.
.TP
.I share/doc/saltus
The documentation.
.SH SEE ALSO
${pages}
")
