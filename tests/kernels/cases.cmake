# Our kernels, with every compiler there is and in every variant.

# Variants besides the default: NAME, a word for the test's name, the program's arguments.
set(variants
  "vector_add|odd|1001" "vector_add|one|1"
  "transpose|padded|256 --padded" "transpose|naive|256 --naive" "transpose|odd|77"
  "histogram|flat|100000 --flat" "matmul|small|64"
  "reduction|sequential|5000 --sequential" "reduction|odd|1023"
  "scan|padded|262144 --padded" "scan|odd|1000" "stencil|odd|101 57"
  "bitonic_sort|one_block|1024" "spinlock|one_warp|1 32" "spinlock|wide|40 128" "warp_primitives|one|1"
  "needleman_wunsch|one_tile|16" "lud|one_tile|16" "lavamd|sparse|3 7" "mri_gridding|one_cell|1 1 1 1"
  "mri_gridding|many|5000 50 50 52" "srad|odd_steps|32 3" "hotspot|odd|37 3" "scalar_product|odd|5 1001"
  "transpose16|odd|77" "convolution|odd|300 70" "convolution|tiny|5 3" "dct8x8|wide|96 16"
  "dwt_haar|one_block|1024" "dwt_haar|two|2" "fft|small|64 2" "fast_walsh|odd_log2|11 3" "fast_walsh|short|2 1"
  "voting_histogram|odd|33 7" "voting_histogram|seed|--seed=9" "matrix_scan|odd|2049" "matrix_scan|one|1")

foreach(program ${BANKSHOT_KERNEL_PROGRAMS})
  string(REGEX REPLACE "\\..*" "" name ${program})
  bankshot_kernel_test(kernels.${program} ${CMAKE_BINARY_DIR}/kernels/${program})
  foreach(variant ${variants})
    string(REPLACE "|" ";" parts ${variant})
    list(GET parts 0 of)
    if(of STREQUAL name)
      list(GET parts 1 word)
      list(GET parts 2 arguments)
      string(REPLACE " " ";" arguments ${arguments})
      bankshot_kernel_test(kernels.${program}.${word} ${CMAKE_BINARY_DIR}/kernels/${program} ${arguments})
    endif()
  endforeach()
endforeach()
