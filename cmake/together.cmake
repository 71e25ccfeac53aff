# The sources of a folder are compiled together, a few at a time: most of what compiling one of them takes goes into the headers they share, so that this takes
# a third of the time. -DMERCER_TOGETHER=OFF compiles each by itself, as an edit of one file all day long may want it.
option(MERCER_TOGETHER "Compile the sources of a folder together" ON)
# So many at most; a group takes some ten seconds, and an edit of one of its files no more than that.
set(mercer_together_most 12)
set(mercer_together_most_tests 8)

# Small folders that are taken as one: the headers of their sources are much the same.
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

# Those compiled each by itself, and why.
set(mercer_alone
    # It includes methods/archive.h, which wants the file form of every model that its neighbours save.
    src/mercer/model/model_archive.cpp
    # Compiled again with the example of CONTRIBUTING.md (cmake/contributing.cmake): nothing else of the library may come with them.
    src/mercer/kernels/evaluation/pair_evaluation.cpp
    src/mercer/kernels/expression/listed_kernels.cpp
    # Each has measures of its own (left, top, width, mapped) that its neighbours have too.
    src/mercer/plot/charts.cpp
    src/mercer/plot/convergence_picture.cpp
    src/mercer/plot/class_regions.cpp
    src/mercer/plot/heat_map.cpp
    # Variants for places without the system (cmake/core.cmake).
    src/mercer/base/threads_serial.cpp
    src/mercer/dense/lapack_eigen.cpp
    src/mercer/io/files.cpp
    src/mercer/io/image_files_none.cpp
    # Each defines names that neighbours in its new folder have too.
    src/mercer/io/text_folder.cpp
    src/mercer/io/json.cpp
    src/mercer/methods/regression/kernel_ridge_path.cpp
    src/mercer/methods/svm/svm_solvers.cpp
    src/mercer/metrics/evaluation.cpp
    src/mercer/solvers/interior_point/quadratic_program.cpp
    src/mercer/solvers/newton/solve_representer.cpp
    tests/kernels/composite_test.cpp
    tests/kernels/features/feature_map_test.cpp
    tests/kernels/expression/expression_test.cpp
    tests/methods/nystroem/gradient_gap_test.cpp
    tests/methods/nystroem/shared_rows_test.cpp
    tests/methods/nystroem/nystroem_test.cpp
    tests/methods/svm/cross_validation_test.cpp
    # With definitions of its own (cmake/tests.cmake).
    tests/contracts/paths.cpp)

# mercer_together(TARGET [pattern]): those whose path matches the pattern stay alone too. The folders of a program are small, and each would bring the
# parser of command lines and JSON with it: they are taken as one.
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
  # As few groups as it takes, of about as many sources each.
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
