# Puts the parts of a page at their marks, so that it is one file.
#     cmake -DNAME=report -DPAGE=page.html -DHEAD=head.html -DSCRIPT=... -DSTYLE=... -DLIBRARY=... -DLIBRARY_STYLE=...
#           -DLICENCE=... -DOUT=page.html -P join-page.cmake
# Variables stay in quotation marks: unquoted, CMake would split them at semicolons.
file(READ ${PAGE} page)
foreach(part HEAD SCRIPT STYLE LIBRARY LIBRARY_STYLE LICENCE)
  file(READ ${${part}} text)
  # The source maps of the library are not shipped.
  string(REPLACE "# sourceMappingURL=" "" text "${text}")
  string(REPLACE "@SALTUS-${part}@" "${text}" page "${page}")
endforeach()
string(REPLACE "@SALTUS-NAME@" "${NAME}" page "${page}")
file(WRITE ${OUT} "${page}")
