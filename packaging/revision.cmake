# Writes revision.hpp if it has changed: cmake -DSOURCE=… -DOUTPUT=… -DCOMPILER=… -DISAS=… -P revision.cmake
# Unpacked within another project's working tree, the sources have no revision of their own.
execute_process(COMMAND git -C ${SOURCE} rev-parse --show-toplevel OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
file(REAL_PATH "${SOURCE}" source)
if(top)
  file(REAL_PATH "${top}" top)
endif()
if(top STREQUAL source)
  execute_process(COMMAND git -C ${SOURCE} describe --always --dirty OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "// Made by packaging/revision.cmake.
#pragma once
inline constexpr const char* kRevision = \"${revision}\";
inline constexpr const char* kCompiler = \"${COMPILER}\";
inline constexpr const char* kInstructionSets = \"${ISAS}\";
")
