# Our kernels, with every compiler there is and in every variant.

# Variants besides the default: NAME, a word for the test's name, the program's arguments.
set(variants
  "vector_add|odd|1001" "vector_add|one|1" "vector_add|repeated|1001 3"
  "transpose|padded|256 --padded" "transpose|naive|256 --naive" "transpose|odd|77"
  "histogram|flat|100000 --flat" "matmul|small|64" "tensor_gemm|padded|64 --padded"
  "reduction|sequential|5000 --sequential" "reduction|odd|1023"
  "scan|padded|262144 --padded" "scan|odd|1000" "stencil|odd|101 57"
  "bitonic_sort|one_block|1024" "spinlock|one_warp|1 32" "spinlock|wide|16 128" "warp_primitives|one|1" "warp_sort|odd|7 3" "collatz|odd|1001"
  "sha256|odd|1001" "black_scholes|odd|1001" "n_body|odd|77" "binomial_options|odd|3 100" "binomial_options|most|1 1023"
  "needleman_wunsch|one_tile|16" "lud|one_tile|16" "lavamd|sparse|3 7" "mri_gridding|one_cell|1 1 1 1"
  "mri_gridding|many|5000 50 50 52" "srad|odd_steps|32 3" "hotspot|odd|37 3" "scalar_product|odd|5 1001"
  "transpose16|odd|77" "transpose16|padded|77 --padded" "convolution|odd|300 70" "convolution|tiny|5 3"
  "dct8x8|wide|96 16" "dct8x8|padded|32 48 --padded" "dct_short|wide|96 32" "dct_short|padded|64 96 --padded"
  "aes|decrypt|--decrypt" "aes|repeated|3 --repeated" "aes|cached|2 --cached" "aes|one|1 --appendix-c" "aes|few_decrypt|3 --decrypt --appendix-c"
  "dwt_haar|one_block|1024" "dwt_haar|two|2" "fft|small|64 2" "fast_walsh|odd_log2|11 3" "fast_walsh|short|2 1"
  "voting_histogram|odd|33 7" "voting_histogram|seed|--seed=9" "voting_histogram|words|64 --words --grid=3 --threads=128 --natural=8" "matrix_scan|odd|2049" "matrix_scan|one|1"
  "atomic_latency|far|--stride=396" "atomic_throughput|four_warps|--warps=4 --repeat=3"
  "atomic_throughput|lanes|--warps=5 --colliding=3 --lanes=7"
  "voting|copies|--words=100 --copies=12 --pad=3 --patterns=333 --grid=3" "voting|sorted|--words=32 --copies=32 --sorted --block"
  "voting|warps|--words=512 --copies=24 --threads=96 --block --seed=7" "voting|stretched|--words=48 --copies=6 --stretch"
  "histogram_copies|padded|33 7 --bins=32 --copies=256 --pad=1" "histogram_copies|full|--bins=4096 --copies=3 --threads=96"
  "histogram_copies|block|100 --bins=64 --copies=24 --block --seed=9" "histogram_copies|stretched|77 --bins=128 --copies=96 --stretch"
  "hough|copies|--copies=6 --angles=7" "hough|padded|101 77 --distances=150 --angles-of-cta=3 --angles=10 --copies=5 --pad=3 --block"
  "hough|stretched|64 48 --distances=100 --copies=6 --stretch --threads=33"
  "kmeans_update|float|5000 --float --components=5 --copies=16" "kmeans_update|block|3001 --clusters=77 --copies=5 --block --pad=2 --float"
  "kmeans_update|stretched|--components=4 --clusters=512 --copies=4 --stretch --runs=9" "kmeans_update|one|1 --clusters=1"
  "tx_hash_table|two|2" "tx_hash_table|three|3 --threads=100 --ctas=3" "tx_hash_table|most|256" "tx_hash_table|one|1 --threads=33"
  "tx_hash_table|interleaved|8 --interleaved" "tx_hash_table|serial|7 --version=serial --interleaved --threads=100"
  "tx_hash_table|coarse|16 --version=coarse --ctas=2" "tx_hash_table|fine|2 --version=fine" "tx_hash_table|atomics|2 --version=atomics"
  "tx_kmeans|two|2" "tx_kmeans|odd|33 --threads=100 --ctas=3 --seed=7" "tx_kmeans|most|256" "tx_kmeans|one|1 --threads=1"
  "tx_kmeans|serial|8 --version=serial" "tx_kmeans|coarse|3 --version=coarse --threads=65" "tx_kmeans|fine|64 --version=fine --ctas=2"
  "tx_kmeans|atomics|100 --version=atomics" "tx_kmeans|one_bank|64 --one-bank --ctas=2"
  "tx_kmeans|one_bank_fine|5 --one-bank --version=fine"
  "tx_knapsack|two|2" "tx_knapsack|odd|5 --iterations=7 --threads=100 --ctas=3 --seed=9" "tx_knapsack|most|256"
  "tx_knapsack|serial|3 --version=serial --iterations=3" "tx_knapsack|coarse|8 --version=coarse --threads=65"
  "tx_knapsack|fine|33 --version=fine --iterations=5 --ctas=2"
  "tx_bank|two|2" "tx_bank|odd|17 --transfers=13 --threads=100 --ctas=3 --seed=4" "tx_bank|most|256 --transfers=1"
  "tx_bank|serial|3 --version=serial --transfers=3" "tx_bank|coarse|16 --version=coarse --threads=65" "tx_bank|fine|5 --version=fine --ctas=2"
  "tx_bank|atomics|3 --version=atomics --transfers=30")

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

# Programs with copies of a vote space (kernels/replication.hpp), with random ones.
foreach(program ${BANKSHOT_KERNEL_PROGRAMS})
  if(program MATCHES "^(voting|histogram_copies|hough|kmeans_update)(\\.clang)?$")
    add_test(NAME kernels.${program}.any_copies COMMAND ${CMAKE_SOURCE_DIR}/tests/kernels/any_copies $<TARGET_FILE:bankshot>
      ${CMAKE_BINARY_DIR}/kernels/${program})
    set_tests_properties(kernels.${program}.any_copies PROPERTIES LABELS kernels TIMEOUT 120)
  endif()
endforeach()

# What the analysis of the code is sure of must be what a run counts. PROGRAM, instructions that must be told exactly
# (the fewer of nvcc's and Clang's; they unroll differently), kernel parameters, arguments of the program.
set(told
  "transpose|2|--param tile:2=77|77" "transpose16|2|--param transpose:2=77|77" "reduction|26||5000" "scan|67|--param scan:3=512|512"
  "bitonic_sort|6|--param shared:1=2 --param shared:2=1024|1024" "histogram|2||10000" "matmul|34|--param mat:3=64|64"
  "stencil|6|--param conv:2=101 --param conv:3=57|101 57" "back_propagation|18||" "convolution|20||5 3" "dct8x8|96||"
  "dwt_haar|9||" "fast_walsh|14|--param fast:2=11|11 3" "fft|24|--param rows:3=64 --param col:2=64 --param col:3=2|64 2"
  "hotspot|21|--param hot:3=37|37 1" "lavamd|18|--param lava:3=7|3 7" "lud|135||" "matrix_scan|28|--param matrix:3=2049|2049"
  "mri_gridding|152||1 1 1 1" "needleman_wunsch|45||16" "scalar_product|0||5 1001" "srad|25||32 1" "voting_histogram|10||"
  "atomic_latency|4||" "atomic_throughput|1||--warps=4 --intra=3" "dct_short|80||64 32" "aes|54||2")
foreach(program ${BANKSHOT_KERNEL_PROGRAMS})
  string(REGEX REPLACE "\\..*" "" name ${program})
  foreach(case ${told})
    string(REPLACE "|" ";" parts ${case})
    list(GET parts 0 of)
    if(NOT of STREQUAL name)
      continue()
    endif()
    list(GET parts 1 least)
    list(GET parts 2 parameters)
    list(GET parts 3 arguments)
    separate_arguments(parameters)
    separate_arguments(arguments)
    add_test(NAME static.${program} COMMAND ${CMAKE_SOURCE_DIR}/tests/kernels/static_agrees $<TARGET_FILE:bankshot>
      ${CMAKE_BINARY_DIR}/kernels/${program} --exact ${least} ${parameters} -- ${arguments})
    set_tests_properties(static.${program} PROPERTIES LABELS kernels TIMEOUT 120)
  endforeach()
endforeach()

# On the simulated GPU a program does what it does under run, for any number of host threads. PROGRAM and its arguments.
set(simulated
  "back_propagation" "bitonic_sort 1024" "convolution 5 3" "dct8x8" "dwt_haar 1024" "fast_walsh 11 3" "fft 64 2" "histogram 10000"
  "hotspot 37 3" "lavamd 1 7" "lud 16" "matmul 64" "matrix_scan 2049" "mri_gridding 1 1 1 1" "needleman_wunsch 16" "reduction 5000"
  "scalar_product 5 1001" "scan 1000" "spinlock 1 32" "srad 32 1" "stencil 101 57" "tensor_gemm 64" "transpose 77" "transpose16 77" "vector_add 1001"
  "voting_histogram 33 7" "warp_primitives 1" "atomic_latency --conflicts=7" "atomic_throughput --warps=3 --intra=5"
  "voting --words=64 --copies=8 --pad=1 --patterns=200" "histogram_copies 48 --copies=4 --threads=128"
  "hough 64 48 --copies=6 --angles=8" "kmeans_update 2000 --clusters=100 --copies=8 --threads=256" "dct_short 64 32"
  "aes 3 --decrypt" "tx_hash_table 16 --version=serial --threads=64" "tx_kmeans 16 --version=atomics"
  "tx_knapsack 8 --version=serial --threads=40" "tx_bank 16 --version=serial --threads=40 --transfers=3")
foreach(program ${BANKSHOT_KERNEL_PROGRAMS})
  string(REGEX REPLACE "\\..*" "" name ${program})
  foreach(case ${simulated})
    string(REPLACE " " ";" parts ${case})
    list(POP_FRONT parts of)
    if(NOT of STREQUAL name)
      continue()
    endif()
    add_test(NAME simulate.${program} COMMAND ${CMAKE_SOURCE_DIR}/tests/kernels/simulate_agrees $<TARGET_FILE:bankshot> gtx480
      ${CMAKE_BINARY_DIR}/kernels/${program} ${parts})
    set_tests_properties(simulate.${program} PROPERTIES LABELS kernels TIMEOUT 120)
  endforeach()
endforeach()
# Compiled to code of the host a program does what it does interpreted.
foreach(program ${BANKSHOT_KERNEL_PROGRAMS})
  string(REGEX REPLACE "\\..*" "" name ${program})
  foreach(case ${simulated})
    string(REPLACE " " ";" parts ${case})
    list(POP_FRONT parts of)
    if(NOT of STREQUAL name OR name MATCHES "^tx_")  # transactions are interpreted
      continue()
    endif()
    add_test(NAME compiled.${program} COMMAND ${CMAKE_SOURCE_DIR}/tests/kernels/compiled_agrees $<TARGET_FILE:bankshot>
      ${CMAKE_BINARY_DIR}/kernels/${program} ${parts})
    set(labels kernels)
    if(program MATCHES "\\.clang$")
      list(APPEND labels long)  # LLVM takes its time, and the same program by nvcc is compiled always
    endif()
    set_tests_properties(compiled.${program} PROPERTIES LABELS "${labels}" TIMEOUT 300 SKIP_RETURN_CODE 77)
  endforeach()
endforeach()
# … and for hosts that have no more than AVX2: branches, shuffles, halves, integers, floats.
foreach(program collatz warp_sort transpose16 histogram sha256 black_scholes)
  if(NOT program IN_LIST BANKSHOT_KERNEL_PROGRAMS)
    continue()
  endif()
  add_test(NAME compiled_avx2.${program} COMMAND ${CMAKE_SOURCE_DIR}/tests/kernels/compiled_agrees $<TARGET_FILE:bankshot>
    ${CMAKE_BINARY_DIR}/kernels/${program})
  set_tests_properties(compiled_avx2.${program} PROPERTIES LABELS kernels TIMEOUT 300 SKIP_RETURN_CODE 77
    ENVIRONMENT "BANKSHOT_ISA=avx2")
endforeach()
# … and machines unlike it: a datapath of 8 lanes with 8 banks, two instructions a scheduler, sectors and hashed channels.
foreach(gpu cf11 k20 v100 h100)
  foreach(case "transpose16 77" "scan 1000" "histogram 10000" "dct_short 64 32" "aes 3")
    string(REPLACE " " ";" parts ${case})
    list(POP_FRONT parts program)
    if(NOT program IN_LIST BANKSHOT_KERNEL_PROGRAMS)
      message(FATAL_ERROR "tests/kernels: there is no program ${program}")
    endif()
    add_test(NAME simulate.${program}.${gpu} COMMAND ${CMAKE_SOURCE_DIR}/tests/kernels/simulate_agrees $<TARGET_FILE:bankshot>
      ${gpu} ${CMAKE_BINARY_DIR}/kernels/${program} ${parts})
    set_tests_properties(simulate.${program}.${gpu} PROPERTIES LABELS kernels TIMEOUT 120)
  endforeach()
endforeach()

# Our model of ptxas against what ptxas makes; skipped where there is no toolkit.
set(sources)
foreach(program matmul fft lud scan dct8x8 transpose16 matrix_scan dwt_haar)
  list(APPEND sources ${CMAKE_SOURCE_DIR}/kernels/${program}/${program}.cu)
endforeach()
add_test(NAME machine_code COMMAND ${CMAKE_SOURCE_DIR}/tests/kernels/machine_code_agrees $<TARGET_FILE:bankshot>
  "${BANKSHOT_NVCC}" "${BANKSHOT_PTXAS}" ${sources})
set_tests_properties(machine_code PROPERTIES LABELS kernels TIMEOUT 300 SKIP_RETURN_CODE 77)
