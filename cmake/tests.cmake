# All C++ tests are one program, and each test case is one ctest entry. The stress program and some scripts are further
# tests. (At most one environment variable: gtest_discover_tests cannot pass a list. MALLOC_PERTURB_ fills allocated
# memory with a pattern, so that no test depends on zeros.)
set(test_environment ENVIRONMENT "MALLOC_PERTURB_=165")
if(MERCER_SANITIZE MATCHES "thread")
  # A forked child process starts its own threads, as base/threads allows.
  set(test_environment ENVIRONMENT "TSAN_OPTIONS=die_after_fork=0:atexit_sleep_ms=50:suppressions=${CMAKE_SOURCE_DIR}/tools/tsan.supp")
elseif(MERCER_SANITIZE MATCHES "undefined")
  set(test_environment ENVIRONMENT "UBSAN_OPTIONS=print_stacktrace=1")
endif()

# Threads of OpenBLAS wait actively while another process uses their core: two tests side by side took three times as
# long as one after the other.
set(one_blas_thread OPENBLAS_NUM_THREADS=set:1)

file(GLOB_RECURSE test_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/*.cpp)
list(FILTER test_sources EXCLUDE REGEX "/tests/(consumer|contributing|core|faults|stress)/")
if(test_sources)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
  include(GoogleTest)
  add_executable(mercer_tests ${test_sources})
  target_include_directories(mercer_tests PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(mercer_tests PRIVATE mercer mercer_headers GTest::gtest_main GTest::gmock rapidcheck LAPACK::LAPACK BLAS::BLAS)
  target_compile_definitions(mercer_tests PRIVATE ${mercer_definitions})
  # Only paths.cpp contains the path of the checkout: the objects of the other sources are the same in every checkout,
  # so that ccache finds them.
  set_source_files_properties(${CMAKE_SOURCE_DIR}/tests/contracts/paths.cpp PROPERTIES COMPILE_DEFINITIONS
                              "MERCER_DATA_DIR=\"${CMAKE_SOURCE_DIR}/data\";MERCER_TEST_DIR=\"${CMAKE_SOURCE_DIR}/tests\"")
  set_source_files_properties(${CMAKE_SOURCE_DIR}/tests/contracts/paths.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  mercer_warnings(mercer_tests)
  mercer_precompile(mercer_tests <algorithm> <cmath> <functional> <map> <random> <string> <vector> <gtest/gtest.h> <gmock/gmock.h> <fmt/format.h>)
  target_compile_options(mercer_tests PRIVATE ${mercer_light_loops})
  mercer_together(mercer_tests)
  if(mercer_apps)
    add_dependencies(mercer_tests ${mercer_apps})  # tests of the programs run the programs
  endif()
  gtest_discover_tests(mercer_tests DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300 ${test_environment} ENVIRONMENT_MODIFICATION ${one_blas_thread})
  # The other tests run BLAS with one thread. This test runs the methods that use LAPACK decompositions with two
  # threads, and no other test beside it; all other BLAS calls use one thread anyway (tiled_blas). (Sanitizers do not
  # check BLAS.)
  if(NOT MERCER_SANITIZE)
    add_test(NAME blas_threads COMMAND mercer_tests --gtest_filter=dense_algebra*:kernel_ridge*path*:ridge*:kernel_pca*:kernel_fisher*:nystroem_features*:band_reduction*:spectrum*
             --gtest_brief=1)
    set_tests_properties(blas_threads PROPERTIES TIMEOUT 600 PROCESSORS 2 COST 60 ENVIRONMENT OPENBLAS_NUM_THREADS=2)
  endif()
endif()

# Runs the contracts of kernels, kernel matrices, solvers and methods on the library without BLAS, threads and files:
# the same objects, linked without the system. The tests read data files, so they link the sources that read files;
# tests/core/main.cpp checks that the library alone needs none of them. Uses the narrowest vectors, which a browser may
# have; other_processor therefore leaves these tests out. Tests that vary the number of threads are left out.
if(test_sources AND NOT MERCER_SANITIZE)
  add_executable(mercer_core_tests "$<FILTER:$<TARGET_OBJECTS:mercer_tests>,INCLUDE,[/_]tests[/_](contracts|dense|gram|inspection|kernel_analysis|kernels|meta|methods|metrics|solvers)[/_]>"
                 "$<FILTER:$<TARGET_OBJECTS:mercer>,INCLUDE,/(base/file|io/(file_contents|row_batches)|methods/nystroem/streamed_rows)\\.cpp>")
  set_target_properties(mercer_core_tests PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(mercer_core_tests PRIVATE mercer_core GTest::gtest_main GTest::gmock rapidcheck
                        $<TARGET_NAME_IF_EXISTS:ZLIB::ZLIB> $<TARGET_NAME_IF_EXISTS:LibLZMA::LibLZMA>)
  add_test(NAME core.contracts COMMAND mercer_core_tests --gtest_brief=1
           --gtest_filter=kernels/registered*:composite*:kernel_contract*:extremes*:oracle*:gram*:svm_contract*:knn*:nearest*:kernel_*:ridge*:representer*:interior_point*:band_reduction*:block_lanczos*:mercer_test*:spectrum*:dense_algebra*:-*large*:*does_not_depend_on_threads*:*alignment*:*density_overlap*:kernel_pca.iterative_is_full:kernel_ridge.says_how_far_it_is_and_stops)
  # COST in seconds: ctest starts long tests first
  set_tests_properties(core.contracts PROPERTIES ENVIRONMENT MERCER_SIMD=baseline TIMEOUT 600 COST 70)
  add_executable(mercer_core_alone ${CMAKE_SOURCE_DIR}/tests/core/main.cpp)
  target_link_libraries(mercer_core_alone PRIVATE mercer_core)
  add_test(NAME core.alone COMMAND mercer_core_alone)
endif()
include(contributing)

# Random problems for support vector machines. Each result is checked against the definition and, if LIBSVM is
# installed, against LIBSVM's result (tools/stress).
file(GLOB stress_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/stress/*.cpp)
if(stress_sources)
  add_executable(mercer_stress ${stress_sources})
  target_include_directories(mercer_stress PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(mercer_stress PRIVATE mercer mercer_headers)
  mercer_warnings(mercer_stress)
  find_path(LIBSVM_INCLUDE libsvm/svm.h)
  find_library(LIBSVM_LIBRARY svm)
  if(LIBSVM_INCLUDE AND LIBSVM_LIBRARY)
    target_include_directories(mercer_stress PRIVATE ${LIBSVM_INCLUDE})
    target_link_libraries(mercer_stress PRIVATE ${LIBSVM_LIBRARY})
    target_compile_definitions(mercer_stress PRIVATE MERCER_HAS_LIBSVM=1)
  else()
    target_compile_definitions(mercer_stress PRIVATE MERCER_HAS_LIBSVM=0)
  endif()
  if(MERCER_SANITIZE)
    set(stress_size --problems 60 --largest 600)
  else()
    set(stress_size --problems 150 --largest 1500)
  endif()
  add_test(NAME stress COMMAND mercer_stress --seed 1 ${stress_size})
  set_tests_properties(stress PROPERTIES TIMEOUT 600 ${test_environment})
endif()

include(examples)
include(header_examples)

# Tests of the programs' output: one script each, which gets the folder of the programs and the root of the repository.
if(mercer_apps)
  file(GLOB app_tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/apps/*_test.py ${CMAKE_SOURCE_DIR}/tests/serve/*_test.py)
  set(app_timeout 600)
  if(MERCER_SANITIZE)
    set(app_timeout 3600)
  endif()
  foreach(script ${app_tests})
    get_filename_component(test ${script} NAME_WE)
    add_test(NAME apps.${test} COMMAND /usr/bin/python3 ${script} ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} ${CMAKE_SOURCE_DIR})
    set_tests_properties(apps.${test} PROPERTIES TIMEOUT ${app_timeout} COST 10 SKIP_RETURN_CODE 77 ${test_environment}) # 77: the program to compare with is not installed
  endforeach()
endif()
# Lets every call of a kind fail once: a sample of what `make faults` tries. (The library cannot be preloaded together
# with ThreadSanitizer's.)
if(TARGET app_mercer AND CMAKE_SYSTEM_NAME STREQUAL Linux AND NOT MERCER_SANITIZE MATCHES "thread")
  add_library(mercer_faults SHARED ${CMAKE_SOURCE_DIR}/tests/faults/injector.cpp)
  set_target_properties(mercer_faults PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
  target_compile_options(mercer_faults PRIVATE -O1 -U_FORTIFY_SOURCE -fno-sanitize=all)
  target_link_libraries(mercer_faults PRIVATE ${CMAKE_DL_LIBS})
  target_link_options(mercer_faults PRIVATE -fno-sanitize=all)
  if(MERCER_SANITIZE MATCHES "address")
    target_compile_definitions(mercer_faults PRIVATE FAULTS_IN_NEW)
  endif()
  mercer_warnings(mercer_faults)
  add_test(NAME faults COMMAND /usr/bin/python3 ${CMAKE_SOURCE_DIR}/tests/faults/faults_test.py ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} ${CMAKE_SOURCE_DIR})
  set_tests_properties(faults PROPERTIES TIMEOUT 900 COST 30 PROCESSORS 2 SKIP_RETURN_CODE 77)
endif()
# Tests of the Python package in the build tree; one entry per file, so that they run in parallel.
if(TARGET mercer_python)
  file(GLOB python_tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/python/test_*.py)
  foreach(script ${python_tests})
    get_filename_component(test ${script} NAME_WE)
    add_test(NAME python.${test} COMMAND ${MERCER_PYTHON_EXECUTABLE} -m pytest -q -p no:cacheprovider ${script})
    set_tests_properties(python.${test} PROPERTIES TIMEOUT 600 COST 10 ENVIRONMENT "PYTHONPATH=${CMAKE_BINARY_DIR}/python;MERCER_BUILD_DIR=${CMAKE_BINARY_DIR};MALLOC_PERTURB_=165")
  endforeach()
  # Simulates another processor: narrower vectors in Mercer, BLAS and numpy, which change the rounding.
  if(NOT MERCER_SANITIZE)
    add_test(NAME python.other_processor COMMAND ${MERCER_PYTHON_EXECUTABLE} -m pytest -q -p no:cacheprovider ${CMAKE_SOURCE_DIR}/tests/python/test_methods.py)
    set_tests_properties(
      python.other_processor
      PROPERTIES TIMEOUT 600 ENVIRONMENT
                 "PYTHONPATH=${CMAKE_BINARY_DIR}/python;MERCER_SIMD=baseline;OPENBLAS_CORETYPE=Haswell;NPY_DISABLE_CPU_FEATURES=AVX2 FMA3 AVX512F AVX512CD AVX512_SKX")
  endif()
endif()
if(test_sources AND mercer_simd_objects AND NOT MERCER_SANITIZE)
  # Runs the tests again as on a processor without AVX-512 or without AVX2; the discovered tests use the widest
  # instructions of the machine. Left out of both runs: code without loops per instruction set (files and their readers,
  # trees, checkpoints, pictures, large decompositions by LAPACK), and a fit that takes seconds and gives the same
  # result with all of them. Left out of the baseline run: the contract of kernels, which core.contracts runs with the
  # same objects, except for threads. Left out of the AVX2 run, whose loops are compiled from the same source: the
  # contract of kernels, and tests of code above the methods (searches, learnt kernels, cells, model files).
  set(left_out_of_both dense_algebra.*large*:svm_hard_margin.near_twins*:tree_kernels.*:svm_checkpoint.*:csv.*:csv_texts.*:libsvm.*:npy.*:xyz.*:*_reader.*:*_readers.*:tudataset.*:graph_lines.*:graphml.*:*records.*:images_*:image_folder.*:image_list.*:image_array.*:multisets_file.*:text_folder.*:read_table.*:source.*:text_table.*:dates.*:column_encoder.*:unicode.*:tokens.*:text_features.*:decimal.*:write_atomically.*:atomic_file.*:parallel.*:stop.*:svg.*:charts.*:*pictures.*:contour_lines.*:report_html.*)
  set(left_out_baseline ${left_out_of_both}:kernels/registered*:kernel_contract/*:kernel_contract_deep.holds*:composite.*:*alignment*:*density_overlap*)
  set(left_out_avx2 ${left_out_of_both}:kernels/registered*:tune.*:nested.*:learn.*:cells.*:api_model.*:model_file.*:codec.*:multiple_kernels.*:relevance.*)
  foreach(simd baseline avx2)
    add_test(NAME other_processor.${simd} COMMAND mercer_tests --gtest_filter=-${left_out_${simd}} --gtest_brief=1)
    set_tests_properties(other_processor.${simd} PROPERTIES ENVIRONMENT "MERCER_SIMD=${simd};MERCER_THREADS=1" TIMEOUT 1800 COST 150)
  endforeach()
endif()
# Checks that scikit-learn still gives the stored reference values. Exit code 77: scikit-learn is not installed.
add_test(NAME oracles.kernels COMMAND /usr/bin/python3 ${CMAKE_SOURCE_DIR}/tests/oracles/make_kernels.py --check)
set_tests_properties(oracles.kernels PROPERTIES SKIP_RETURN_CODE 77)

# Tests of the playground in a browser. Exit code 77: required programs are missing, or `make page` was not called.
if(mercer_apps AND NOT MERCER_SANITIZE)
  add_test(NAME page COMMAND ${CMAKE_SOURCE_DIR}/tools/page test --programs ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
  set_tests_properties(page PROPERTIES TIMEOUT 900 SKIP_RETURN_CODE 77)
endif()

add_test(NAME layers COMMAND ${CMAKE_SOURCE_DIR}/tools/check-layers)
add_test(NAME layers.self_test COMMAND ${CMAKE_SOURCE_DIR}/tools/check-layers --self-test)
add_test(NAME messages COMMAND ${CMAKE_SOURCE_DIR}/tools/messages --check)
add_test(NAME messages.self_test COMMAND ${CMAKE_SOURCE_DIR}/tools/messages --self-test)

if(NOT MERCER_SANITIZE)
  if(mercer_apps AND CMAKE_BINARY_DIR STREQUAL "${CMAKE_SOURCE_DIR}/build")  # the same commands as `make demo`
    add_test(NAME demo COMMAND ${CMAKE_SOURCE_DIR}/tools/demo)
    set_tests_properties(demo PROPERTIES TIMEOUT 120 PASS_REGULAR_EXPRESSION "build/demo/penguins.html\n  build/demo/penguins.svg")
  endif()
  if(mercer_simd_objects)
    add_test(NAME simd COMMAND ${CMAKE_SOURCE_DIR}/tools/check-simd ${mercer_simd_objects} COMMAND_EXPAND_LISTS)
  endif()
  add_test(NAME consumer COMMAND ${CMAKE_SOURCE_DIR}/tests/consumer/run ${CMAKE_BINARY_DIR})
  set_tests_properties(consumer PROPERTIES TIMEOUT 900 COST 130)
endif()

# Runs the seeds of every fuzz target, and inputs derived from them, without libFuzzer, which `make fuzz` uses.
mercer_fuzz_sources(fuzz_sources)
add_library(fuzz_replay OBJECT ${CMAKE_SOURCE_DIR}/fuzz/replay/main.cpp)
target_link_libraries(fuzz_replay PRIVATE mercer mercer_headers)
target_compile_options(fuzz_replay PRIVATE ${mercer_light})
mercer_warnings(fuzz_replay)
foreach(source ${fuzz_sources})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name}_replay ${source} $<TARGET_OBJECTS:fuzz_replay>)
  target_include_directories(${name}_replay PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(${name}_replay PRIVATE mercer_requests mercer mercer_headers)
  target_compile_options(${name}_replay PRIVATE ${mercer_light})
  mercer_warnings(${name}_replay)
  add_test(NAME fuzz.${name} COMMAND ${name}_replay ${CMAKE_SOURCE_DIR}/fuzz/corpus/${name})
  set_tests_properties(fuzz.${name} PROPERTIES TIMEOUT 120 ${test_environment})
endforeach()

get_property(all_tests DIRECTORY PROPERTY TESTS)
list(REMOVE_ITEM all_tests blas_threads)
set_property(TEST ${all_tests} APPEND PROPERTY ENVIRONMENT_MODIFICATION ${one_blas_thread})
