# Writes revision.hpp if it has changed: cmake -DSOURCE=… -DOUTPUT=… -DCOMPILER=… -DISAS=… -P revision.cmake
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "// Made by packaging/revision.cmake.
#pragma once
inline constexpr const char* kRevision = \"${revision}\";
inline constexpr const char* kCompiler = \"${COMPILER}\";
inline constexpr const char* kInstructionSets = \"${ISAS}\";
")
