# Our kernels, with every compiler there is and in every variant; then the CUDA programs of tests/cuda.

# Variants besides the default: NAME, a word for the test's name, the program's arguments.
set(variants
  "vector_add|odd|1001" "vector_add|one|1"
  "transpose|padded|256 --padded" "transpose|naive|256 --naive" "transpose|odd|77"
  "histogram|flat|100000 --flat" "matmul|small|64"
  "reduction|sequential|5000 --sequential" "reduction|odd|1023"
  "scan|padded|262144 --padded" "scan|odd|1000" "stencil|odd|101 57"
  "bitonic_sort|one_block|1024" "spinlock|one_warp|1 32" "spinlock|wide|40 128" "warp_primitives|one|1")

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

# A program of tests/cuda exits with 0 when it is content. A line '// nvcc: FLAGS' in it adds flags.
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cuda/*.cu)
foreach(source ${sources})
  get_filename_component(name ${source} NAME_WE)
  if(BANKSHOT_NVCC)
    file(STRINGS ${source} flags REGEX "^// nvcc: " LIMIT_COUNT 1)
    string(REGEX REPLACE "^// nvcc: " "" flags "${flags}")
    separate_arguments(flags)
    set(program ${CMAKE_BINARY_DIR}/cuda_tests/${name})
    add_custom_command(OUTPUT ${program}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/cuda_tests
      COMMAND ${CMAKE_SOURCE_DIR}/tools/cudacc ${source} -o ${program} --with ${BANKSHOT_NVCC} ${flags}
      DEPENDS ${source} ${CMAKE_SOURCE_DIR}/tools/cudacc
      COMMENT "Compiling CUDA test ${name}" VERBATIM)
    add_custom_target(cuda_test_${name} ALL DEPENDS ${program})
    bankshot_kernel_test(cuda.${name} ${program})
  elseif(BANKSHOT_CUDA_CLANG)
    add_test(NAME cuda.${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/kernels/build_and_check
      $<TARGET_FILE:bankshot> ${CMAKE_BINARY_DIR}/lib ${source})
    set_tests_properties(cuda.${name} PROPERTIES LABELS kernels TIMEOUT 120 SKIP_RETURN_CODE 77)
  endif()
endforeach()
