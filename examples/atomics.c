/* The cost of a warp's atomic additions: on a Fermi GPU, which locks words in a loop, and on a newer GPU. */
#include <bankshot/bankshot.h>
#include <stdio.h>

static int print_cost(const char* gpu, unsigned different) {
  uint32_t words[32];
  bankshot_atomics_cost cost;
  unsigned lane;
  for (lane = 0; lane < 32; ++lane) words[lane] = lane % different;
  if (bankshot_atomics(gpu, words, 32, &cost) != 0) {
    fprintf(stderr, "%s\n", bankshot_error());
    return 1;
  }
  printf("%-7s %2u different words: %llu cycles\n", gpu, different, (unsigned long long)cost.cycles);
  return 0;
}

int main(void) {
  return print_cost("gtx580", 32) || print_cost("gtx580", 4) || print_cost("gtx580", 1) ||
         print_cost("h100", 32) || print_cost("h100", 1);
}
/* Prints:
 * gtx580  32 different words: 108 cycles
 * gtx580   4 different words: 948 cycles
 * gtx580   1 different words: 3828 cycles
 * h100    32 different words: 23 cycles
 * h100     1 different words: 23 cycles
 */
