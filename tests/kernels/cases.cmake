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
  "mri_gridding|many|5000 50 50 52" "srad|odd_steps|32 3" "hotspot|odd|37 3" "scalar_product|odd|5 1001")

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

# What the kernels ask of shared memory, where it is known: worked by hand, or printed in the paper.
foreach(program ${BANKSHOT_KERNEL_PROGRAMS})
  string(REGEX REPLACE "\\..*" "" name ${program})
  set(expected ${CMAKE_CURRENT_LIST_DIR}/expected/${name}.txt)
  if(EXISTS ${expected})
    add_test(NAME kernels.${program}.conflicts COMMAND ${CMAKE_CURRENT_LIST_DIR}/check_expected $<TARGET_FILE:bankshot>
      ${CMAKE_BINARY_DIR}/kernels/${program} ${expected})
    set_tests_properties(kernels.${program}.conflicts PROPERTIES LABELS kernels TIMEOUT 120)
  endif()
endforeach()
