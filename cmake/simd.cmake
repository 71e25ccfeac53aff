# The vector loops, compiled once per instruction set; the library chooses one at run time.
#
# They are optimised in every build type, because a sanitizer run would otherwise spend most of its time in unoptimised
# intrinsics. In the archive the baseline object precedes the wider ones: if several objects contain the same inline
# function, the linker keeps the first one, which must run on every machine. tools/check-simd checks this.
set(mercer_simd_objects)
set(simd_sources ${CMAKE_SOURCE_DIR}/src/mercer/kernels/evaluation/formula_loops.cpp ${CMAKE_SOURCE_DIR}/src/mercer/kernels/strings/subsequences_simd.cpp ${CMAKE_SOURCE_DIR}/src/mercer/dense/vector_ops_simd.cpp
                 ${CMAKE_SOURCE_DIR}/src/mercer/dense/fast_transforms_simd.cpp ${CMAKE_SOURCE_DIR}/src/mercer/solvers/smo/pair_loop_simd.cpp)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(simd_targets baseline avx2 avx512)
  list(APPEND mercer_definitions MERCER_SIMD_X86=1)
else()
  set(simd_targets baseline)
endif()
# Highway's targets SSE4 and AVX2 include the AES instructions.
set(simd_flags_baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(simd_flags_baseline -march=x86-64-v2 -maes -mpclmul)
endif()
set(simd_flags_avx2 -march=haswell -maes -mpclmul)
set(simd_flags_avx512 -march=skylake-avx512 -mprefer-vector-width=512)

set(bits_source ${CMAKE_SOURCE_DIR}/src/mercer/kernels/tile/bits.cpp)
list(REMOVE_ITEM mercer_sources ${simd_sources} ${bits_source})
# Defines an object library of some sources for one instruction set.
function(mercer_simd_library object simd)
  add_library(${object} OBJECT ${ARGN})
  target_include_directories(${object} PRIVATE ${CMAKE_SOURCE_DIR}/src $<TARGET_PROPERTY:hwy::hwy,INTERFACE_INCLUDE_DIRECTORIES>)
  target_compile_definitions(${object} PRIVATE ${mercer_definitions} MERCER_SIMD_TARGET=${simd} HWY_COMPILE_ONLY_STATIC HWY_SHARED_DEFINE)
  target_compile_options(${object} PRIVATE $<$<NOT:$<CONFIG:Release>>:-O2> -ffp-contract=fast -fno-math-errno ${simd_flags_${simd}})
  mercer_warnings(${object})
endfunction()
foreach(simd ${simd_targets})
  mercer_simd_library(mercer_simd_${simd} ${simd} ${simd_sources})
  list(APPEND mercer_simd_objects $<TARGET_OBJECTS:mercer_simd_${simd}>)
endforeach()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  add_library(mercer_simd_bits OBJECT ${bits_source})
  target_include_directories(mercer_simd_bits PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_compile_options(mercer_simd_bits PRIVATE $<$<NOT:$<CONFIG:Release>>:-O2> ${simd_flags_avx512} -mavx512vpopcntdq)
  mercer_warnings(mercer_simd_bits)
  # g++ 12 warns about its own intrinsics
  target_compile_options(mercer_simd_bits PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  list(APPEND mercer_simd_objects $<TARGET_OBJECTS:mercer_simd_bits>)
endif()
