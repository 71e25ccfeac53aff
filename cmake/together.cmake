# The sources of a folder are compiled together, a few at a time: most of what compiling one of them takes goes into the headers they share, so that this takes
# a third of the time. -DMERCER_TOGETHER=OFF compiles each by itself, as an edit of one file all day long may want it.
option(MERCER_TOGETHER "Compile the sources of a folder together" ON)
# So many at most; a group takes some ten seconds, and an edit of one of its files no more than that.
set(mercer_together_most 12)
set(mercer_together_most_tests 8)

# Small folders that are taken as one: the headers of their sources are much the same.
set(mercer_as_one
    "src/mercer/api/(automatic|evaluation|learning)"
    "src/mercer/kernels/(images|points|series|sets|texts|trees)"
    "src/mercer/kernels(/algebra|/evaluation/pairwise|/tile)?"
    "src/mercer/methods/(components|density|neighbours)"
    "src/mercer/selection(/learned)?"
    "src/mercer/solvers/smo(/second_order)?"
    "tests/api(/export|/learning|/tuning)?"
    "tests/data(/columns)?"
    "tests/methods(/clusters|/components|/density|/neighbours)?"
    "tests/selection(/learned)?"
    "tests/solvers/(nystroem|smo|transforms)")

# Those compiled each by itself, and why.
set(mercer_alone
    # It includes methods/codec.h, which wants the file form of every model that its neighbours save.
    src/mercer/api/model_archive.cpp
    # Compiled again with the example of CONTRIBUTING.md (cmake/contributing.cmake): nothing else of the library may come with them.
    src/mercer/kernels/evaluation/precise.cpp
    src/mercer/kernels/text/registry.cpp
    # Each has measures of its own (left, top, width, mapped) that its neighbours have too.
    src/mercer/pictures/convergence_picture.cpp
    src/mercer/pictures/learning_pictures.cpp
    src/mercer/pictures/region_picture.cpp
    src/mercer/pictures/score_map.cpp
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
    elseif(folder MATCHES "^apps/cli/mercer")
      set(folder apps/cli/mercer)
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
