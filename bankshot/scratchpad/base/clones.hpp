// Compiles a function once per x86-64 level and picks one when the library is loaded.
#pragma once

// Sanitizers instrument the resolvers, which run before the sanitizer does; clang names the levels differently.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define BANKSHOT_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define BANKSHOT_CLONES
#endif
