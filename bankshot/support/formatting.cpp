// The functions of fmt, compiled here: Debian has them as a shared library only, whose version differs from release to
// release and may be another one than the program's that Bankshot runs. CMakeLists.txt asks g++ to keep all of them.
#if !defined(__clang__)
#define FMT_HEADER_ONLY
#endif
#include <fmt/format.h>
