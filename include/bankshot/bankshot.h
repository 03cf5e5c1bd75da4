/* Bankshot as a library: the cost of accesses to GPU shared memory, the bank hash with the least cost, and the accesses
 * that a kernel's code makes. Plain C; <bankshot/bankshot.hpp> has the same for C++.
 *
 * Functions that can fail return a null pointer or a number other than 0; bankshot_error() then says why. The caller
 * owns all objects and frees them. Only one thread at a time may use an object; different threads may use different
 * objects. Strings in and out are UTF-8. Functions keep their meaning; later versions add functions, and members at the
 * ends of structures that begin with `size`.
 *
 * Compile and link with the output of: pkg-config --cflags --libs bankshot */
#ifndef BANKSHOT_BANKSHOT_H
#define BANKSHOT_BANKSHOT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BANKSHOT_VERSION "0.1.0"
#define BANKSHOT_API __attribute__((visibility("default")))

/** BANKSHOT_VERSION of the loaded library. */
BANKSHOT_API const char* bankshot_version(void);
/** Why the last failed call of this thread failed: one sentence. */
BANKSHOT_API const char* bankshot_error(void);
/** Frees a string that a function returned. Null is allowed. */
BANKSHOT_API void bankshot_free(char* text);

/* ---- Hashes: which bank holds a word ---- */

typedef struct bankshot_hash bankshot_hash;

/** Parses a hash as the command line takes it: "none", "xor", "add", "perm:K", "bvxor:K1,K2,MASK", "swizzle:B,M,S",
 * "rows:R,...".
 * @param banks         a power of two, 2 to 128
 * @param address_bits  the hash reads so many low bits of a word's address, at most 16 */
BANKSHOT_API bankshot_hash* bankshot_hash_parse(const char* spec, unsigned banks, unsigned address_bits);
BANKSHOT_API void bankshot_hash_free(bankshot_hash* hash);
/** The bank of a word, by its address in words. */
BANKSHOT_API unsigned bankshot_hash_bank(const bankshot_hash* hash, uint32_t word);
/** Whether software can apply it without extra memory: it permutes every aligned row of
 * as many words as there are banks. */
BANKSHOT_API int bankshot_hash_is_in_place(const bankshot_hash* hash);
/** The hash as text that bankshot_hash_parse() reads. */
BANKSHOT_API char* bankshot_hash_spec(const bankshot_hash* hash);
/** C++ source of `bank(a)` and, for a hash that is in place, of `place(a)`: where software stores word a. */
BANKSHOT_API char* bankshot_hash_source(const bankshot_hash* hash);

/* ---- Banks: the rules of a GPU's shared memory ---- */

typedef struct bankshot_banks bankshot_banks;

/** @param gpu  a name that `bankshot gpus` lists, or the path of a .toml file */
BANKSHOT_API bankshot_banks* bankshot_banks_of(const char* gpu);
/** @param json  an object like `scratchpad` in a report (docs/json.md), with its hash if it has one */
BANKSHOT_API bankshot_banks* bankshot_banks_read(const char* json);
BANKSHOT_API void bankshot_banks_free(bankshot_banks* banks);
BANKSHOT_API unsigned bankshot_banks_count(const bankshot_banks* banks);
BANKSHOT_API unsigned bankshot_banks_width(const bankshot_banks* banks); /**< bytes of a word: 4 or 8 */
/** Sets the hash that chooses the bank of a word. Null: the word modulo the number of banks. */
BANKSHOT_API int bankshot_banks_set_hash(bankshot_banks* banks, const bankshot_hash* hash);

/* ---- Accesses: the wavefronts of a warp ---- */

enum bankshot_kind {
  BANKSHOT_LOAD,
  BANKSHOT_STORE,
  BANKSHOT_ATOMIC,
  BANKSHOT_INCREMENT, /**< an atomic that adds 1 and whose result is unused */
  BANKSHOT_CAS,       /**< compare-and-swap */
  BANKSHOT_COPY,      /**< cp.async */
  BANKSHOT_LDMATRIX
};
enum bankshot_pattern { BANKSHOT_LINEAR, BANKSHOT_STRIDE, BANKSHOT_BLOCK, BANKSHOT_BROADCAST, BANKSHOT_RANDOM };

typedef struct bankshot_cost {
  uint32_t wavefronts;  /**< passes over the banks: the conflict degree */
  uint32_t ideal;       /**< wavefronts of an access of this width without conflicts */
  uint32_t position;    /**< for atomics: the part of `wavefronts` due to lanes on one word */
  uint32_t pattern;     /**< enum bankshot_pattern */
  int32_t stride_bytes; /**< for BANKSHOT_STRIDE, else 0 */
} bankshot_cost;

/** Computes the cost of one access of a warp.
 * @param width      bytes per lane: 1, 2, 4, 8 or 16
 * @param addresses  byte addresses in shared memory, from lane 0 to the highest lane in `lanes`; multiples of `width`
 * @param lanes      bit l is set if lane l takes part */
BANKSHOT_API int bankshot_access(const bankshot_banks* banks, enum bankshot_kind kind, unsigned width,
                                 const uint32_t* addresses, uint64_t lanes, bankshot_cost* cost);

/** A bank delivers a word to lanes. */
typedef struct bankshot_service {
  uint32_t pass; /**< 0 to wavefronts - 1 */
  uint32_t bank;
  uint32_t word;  /**< byte address / bankshot_banks_width() */
  uint64_t lanes; /**< bit l is set if lane l gets the word */
  uint64_t phase; /**< the lanes that are served together, in this pass and its neighbours */
} bankshot_service;

/** Lists what the banks do in each pass of an access, by pass, then by bank. The order of the passes of one phase is a
 * choice of Bankshot; their number is not. The other parameters are those of bankshot_access().
 * @param services  null, or an array of `room` entries, of which as many are filled as there are services
 * @return          the number of services, which may be larger than `room`; -1 if it fails */
BANKSHOT_API int bankshot_access_services(const bankshot_banks* banks, enum bankshot_kind kind, unsigned width,
                                          const uint32_t* addresses, uint64_t lanes, bankshot_service* services,
                                          size_t room);

/* ---- Patterns: many accesses, and the best hash for them ---- */

typedef struct bankshot_patterns bankshot_patterns;

BANKSHOT_API bankshot_patterns* bankshot_patterns_new(const bankshot_banks* banks);
/** Reads a patterns file, which `bankshot trace` writes. @param json  the text of the file */
BANKSHOT_API bankshot_patterns* bankshot_patterns_read(const char* json);
BANKSHOT_API void bankshot_patterns_free(bankshot_patterns* patterns);
/** Adds an access that occurs `weight` times, 1 to 2^40. The other parameters are those of bankshot_access(). */
BANKSHOT_API int bankshot_patterns_add(bankshot_patterns* patterns, enum bankshot_kind kind, unsigned width,
                                       const uint32_t* addresses, uint64_t lanes, uint64_t weight);
/** Counts the conflicts of all accesses under a hash (null: modulo): the sum of weight * (wavefronts - ideal). */
BANKSHOT_API int bankshot_patterns_conflicts(const bankshot_patterns* patterns, const bankshot_hash* hash,
                                             uint64_t* conflicts);

typedef struct bankshot_search_options {
  size_t size;            /**< sizeof(bankshot_search_options) */
  const char* hash_class; /**< "gf2" (the default, also for null), "bitvector-xor", "bitwise-xor", "swizzle", ... */
  int in_place;           /**< only hashes that software can apply without extra memory */
  unsigned threads;       /**< of the host; 0 means 1 */
  double seconds;         /**< time limit; then the best hash so far is returned; 0 means 10 */
  /** Only hashes with a form in which bank bits 0 to plain_low_bits - 1 are address bits; at most the bank bits. With
   * `in_place`, vectors of 2^plain_low_bits words stay contiguous. */
  unsigned plain_low_bits;
} bankshot_search_options;

typedef struct bankshot_found {
  size_t size;          /**< sizeof(bankshot_found), set by the caller */
  bankshot_hash* hash;  /**< free with bankshot_hash_free() */
  uint64_t conflicts;   /**< under `hash` */
  uint64_t without;     /**< under modulo */
  uint64_t lower_bound; /**< no hash of the class has fewer */
  int is_proved;        /**< `hash` is the best of its class: conflicts == lower_bound */
  char* certificate;    /**< for class gf2 the proof, for bankshot_verify(); else null; free with bankshot_free() */
} bankshot_found;

/** Searches for the best hash. @param options  null: as if all members were 0 */
BANKSHOT_API int bankshot_search(const bankshot_patterns* patterns, const bankshot_search_options* options,
                                 bankshot_found* found);
/** Checks a proof with code that shares nothing with the search.
 * @return what is proved; null if nothing is, and bankshot_error() says why */
BANKSHOT_API char* bankshot_verify(const char* certificate);

/* ---- Atomics: a closed model of their latency ---- */

typedef struct bankshot_atomics_cost {
  uint64_t cycles;      /**< of the clock that programs can read */
  uint32_t rounds;      /**< passes of the loop over locks; 1 without such a loop */
  uint32_t lock_degree; /**< most lanes on one lock or, without locks, on one word */
  uint32_t bank_degree; /**< most different words in one bank */
} bankshot_atomics_cost;

/** Computes the cost of a warp's atomic addition to 4-byte words. The GPU must be one that can be simulated.
 * @param words  word addresses, one per active lane @param count  active lanes */
BANKSHOT_API int bankshot_atomics(const char* gpu, const uint32_t* words, unsigned count, bankshot_atomics_cost* cost);

/* ---- Code: accesses and conflicts found in PTX, without a run ---- */

typedef struct bankshot_launch {
  size_t size;                   /**< sizeof(bankshot_launch) */
  const char* block;             /**< "256" or "16,16" */
  const char* grid;              /**< likewise; null: unknown */
  const char* const* parameters; /**< "n=1024", ...; ends with a null; null: none known */
  const char* kernel;            /**< only kernels with this in their name; null: all */
  int as_written;                /**< count accesses as the PTX has them, not as ptxas joins them */
} bankshot_launch;

/** Analyses the kernels of a PTX text. @return JSON of the schema bankshot/static/1 (docs/json.md) */
BANKSHOT_API char* bankshot_analyse(const char* ptx, const char* gpu, const bankshot_launch* launch);

#ifdef __cplusplus
}
#endif
#endif
