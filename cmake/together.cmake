# Compiles the sources of a folder together, several in one unit: most of the compile time goes into shared headers, so
# that this takes a third of the time. -DMERCER_TOGETHER=OFF compiles each source alone, which is faster when only one
# file is edited.
option(MERCER_TOGETHER "Compile the sources of a folder together" ON)
# Largest number of sources in a unit. A unit compiles in about ten seconds, which is also the time after an edit of one
# of its files.
set(mercer_together_most 12)
set(mercer_together_most_tests 8)

# Small folders that are treated as one folder, because their sources include much the same headers.
set(mercer_as_one
    "src/mercer/kernels(/expression|/features|/tile|/vectors)?"
    "src/mercer/kernels/(images|points|series|sets|trees)"
    "src/mercer/(data|text)"
    "src/mercer/methods/(components|neighbours)"
    "src/mercer/solvers/(interior_point|linear_svm|newton)"
    "src/mercer/(model|model_selection)"
    "tests/(data|preprocess|text)"
    "tests/(export|model|model_selection|plot)"
    "tests/kernels(/.*)?"
    "tests/methods/(clustering|components|neighbours)"
    "tests/solvers/(interior_point|newton)")

# Sources that are compiled alone, with the reason.
set(mercer_alone
    # Includes methods/archive.h, which needs the file form of every model that the neighbouring sources save.
    src/mercer/model/model_file.cpp
    # Compiled again with the example of CONTRIBUTING.md (cmake/contributing.cmake): their objects must not contain
    # other parts of the library.
    src/mercer/kernels/evaluation/pair_evaluation.cpp
    src/mercer/kernels/expression/listed_kernels.cpp
    # Each defines constants (left, top, width, mapped) that other sources of the folder also define.
    src/mercer/plot/charts.cpp
    src/mercer/plot/convergence_picture.cpp
    src/mercer/plot/class_regions.cpp
    src/mercer/plot/heat_map.cpp
    # Variants for systems without threads, LAPACK and files (cmake/core.cmake).
    src/mercer/base/file_none.cpp
    src/mercer/base/threads_serial.cpp
    src/mercer/dense/lapack_eigen.cpp
    src/mercer/io/file_contents_none.cpp
    src/mercer/io/image_files_none.cpp
    # Each defines names that other sources of the folder also define.
    src/mercer/io/text_folder.cpp
    src/mercer/io/json.cpp
    src/mercer/methods/regression/kernel_ridge_path.cpp
    src/mercer/methods/svm/svm_solvers.cpp
    src/mercer/solvers/interior_point/quadratic_program.cpp
    src/mercer/solvers/newton/solve_representer.cpp
    # Use the test data of regression, while other sources of the folder use those of clustering.
    tests/methods/nystroem/nystroem_test.cpp
    tests/methods/nystroem/shared_rows_test.cpp
    # Has its own definitions (cmake/tests.cmake).
    tests/contracts/paths.cpp)

# mercer_together(TARGET [pattern]): sources whose path matches the pattern are compiled alone too. The units of
# apps/mercer are larger, because each unit compiles the headers of CLI11 and JSON.
function(mercer_together target)
  if(NOT MERCER_TOGETHER)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE name)
    if(NOT source MATCHES "\\.cpp$" OR name IN_LIST mercer_alone OR (ARGN AND source MATCHES "${ARGN}"))
      continue()
    endif()
    get_filename_component(folder ${name} DIRECTORY)
    set(most ${mercer_together_most})
    if(folder MATCHES "^tests/")
      set(most ${mercer_together_most_tests})
    elseif(folder STREQUAL apps/mercer)
      set(most 13)
    endif()
    foreach(one ${mercer_as_one})
      if(folder MATCHES "^${one}$")
        set(folder ${one})
      endif()
    endforeach()
    string(MAKE_C_IDENTIFIER ${folder} folder)
    list(APPEND folders ${folder})
    list(APPEND of_${folder} ${source})
    set(most_${folder} ${most})
  endforeach()
  # Uses the smallest number of units, of about equal size.
  list(REMOVE_DUPLICATES folders)
  foreach(folder ${folders})
    list(LENGTH of_${folder} count)
    math(EXPR groups "(${count} + ${most_${folder}} - 1) / ${most_${folder}}")
    set(place 0)
    foreach(source ${of_${folder}})
      math(EXPR group "${place} * ${groups} / ${count}")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${group})
      math(EXPR place "${place} + 1")
    endforeach()
  endforeach()
endfunction()
