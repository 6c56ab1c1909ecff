# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes one C file of the report's page: its HTML, CSS and JavaScript, and the library that draws its charts, as arrays
# of bytes, since a string in C11 may have 4095 characters. Sets PERFLIB_PAGE_SRC to the file's name. It is made anew
# when a file changes.

# Debian's package libjs-dygraphs; elsewhere -DPERFLIB_DYGRAPHS=FILE.
find_file(PERFLIB_DYGRAPHS dygraph.min.js PATHS /usr/share/javascript/dygraphs NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH
    DOC "dygraph.min.js of dygraphs 2.2 or later, which draws the charts of the report")
if(NOT PERFLIB_DYGRAPHS)
    message(FATAL_ERROR "dygraph.min.js is missing, which draws the charts of the report. Install libjs-dygraphs, or get the file "
        "from https://dygraphs.com and give its name: -DPERFLIB_DYGRAPHS=FILE")
endif()

set(PERFLIB_PAGE_SRC ${CMAKE_CURRENT_BINARY_DIR}/page-files.c)
set(text "/* Made by report/embed.cmake. */\n\n#include \"report/page.h\"\n")
foreach(part IN ITEMS html css js dygraphs)
    set(file ${CMAKE_CURRENT_LIST_DIR}/page.${part})
    if(part STREQUAL "dygraphs")
        set(file ${PERFLIB_DYGRAPHS})
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} bytes HEX)
    # Without "\n//# sourceMappingURL=...", at the end: nothing on the page names another file.
    if(part STREQUAL "dygraphs")
        string(REGEX REPLACE "0a2f2f2320736f757263654d617070696e6755524c3d.*" "0a" bytes "${bytes}")
    endif()
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    string(APPEND text "\nconst unsigned char page_${part}[] = { ${bytes}0 };\n")
endforeach()
set(old "")
if(EXISTS ${PERFLIB_PAGE_SRC})
    file(READ ${PERFLIB_PAGE_SRC} old)
endif()
if(NOT text STREQUAL old)
    file(WRITE ${PERFLIB_PAGE_SRC} "${text}")
endif()
