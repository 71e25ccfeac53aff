# The sources of a folder are compiled together, a few at a time: most of what compiling one of them takes goes into the headers they share, so that this takes
# a third of the time. -DMERCER_TOGETHER=OFF compiles each by itself, as an edit of one file all day long may want it.
option(MERCER_TOGETHER "Compile the sources of a folder together" ON)
set(mercer_together_most 8)

# Those with names of their own that a neighbour has too: each by itself.
set(mercer_alone
    apps/cli/mercer/predict/predict.cpp
    src/mercer/api/model_archive.cpp
    src/mercer/api/export/formula.cpp
    src/mercer/data/text_features.cpp
    src/mercer/insight/machines/regions.cpp
    src/mercer/kernels/evaluation/precise.cpp
    src/mercer/kernels/text/registry.cpp
    src/mercer/methods/clusters/kernel_kmedoids.cpp
    src/mercer/methods/components/kernel_fisher.cpp
    src/mercer/methods/components/kernel_pca.cpp
    src/mercer/methods/components/pre_image.cpp
    src/mercer/methods/neighbours/nearest_medoid.cpp
    src/mercer/methods/regression/kernel_ridge.cpp
    src/mercer/methods/regression/kernel_ridge_path.cpp
    src/mercer/methods/regression/representer_model.cpp
    src/mercer/methods/regression/ridge.cpp
    src/mercer/methods/svm/linear_origin.cpp
    src/mercer/pictures/convergence_picture.cpp
    src/mercer/pictures/learning_pictures.cpp
    src/mercer/pictures/region_picture.cpp
    src/mercer/pictures/score_map.cpp
    src/mercer/pictures/evaluation/importance_picture.cpp
    src/mercer/solvers/interior_point.cpp
    src/mercer/solvers/l1_coordinate_descent.cpp
    src/mercer/solvers/interior_point/kkt_system.cpp
    src/mercer/solvers/interior_point/proofs.cpp
    src/mercer/solvers/smo/price_path.cpp
    src/mercer/solvers/algebra/centred_eigen.cpp
    src/mercer/solvers/algebra/gram_product.cpp
    src/mercer/solvers/algebra/half_gram.cpp
    tests/api/model_test.cpp
    tests/api/text_model_test.cpp
    tests/base/stop_test.cpp
    tests/contracts/paths.cpp
    tests/data/finite_test.cpp
    tests/data/images_test.cpp
    tests/data/kinds_test.cpp
    tests/data/libsvm_test.cpp
    tests/data/npy_test.cpp
    tests/data/object_readers_test.cpp
    tests/data/scaling_test.cpp
    tests/data/series_files_test.cpp
    tests/insight/influence_test.cpp
    tests/insight/leave_one_out_test.cpp
    tests/insight/margin_report_test.cpp
    tests/insight/margin_report_doubt_test.cpp
    tests/insight/regions_test.cpp
    tests/kernels/image_kernels_test.cpp
    tests/kernels/left_rows_test.cpp
    tests/kernels/object_kernels_test.cpp
    tests/kernels/series_features_test.cpp
    tests/kernels/string_kernels_test.cpp
    tests/kernels/tree_kernels_test.cpp
    tests/methods/clusters/kernel_kmedoids_test.cpp
    tests/methods/svm/svm_adversarial_test.cpp
    tests/methods/svm/svm_contract_test.cpp
    tests/methods/svm/svm_control_test.cpp
    tests/methods/svm/svm_invariance_test.cpp
    tests/methods/svm/svm_margin_limits_test.cpp
    tests/methods/svm/svm_oracle_test.cpp
    tests/methods/svm/svm_planes_test.cpp
    tests/methods/svm/train_test.cpp
    tests/pictures/learning_pictures_test.cpp
    tests/solvers/representer_test.cpp)

# mercer_together(TARGET [pattern]): those whose path matches the pattern stay alone too. The folders of a program are small, and each would bring the
# parser of command lines and JSON with it: they are taken as one.
function(mercer_together target)
  if(NOT MERCER_TOGETHER)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    string(REPLACE "${CMAKE_SOURCE_DIR}/" "" name ${source})
    if(NOT source MATCHES "\\.cpp$" OR name IN_LIST mercer_alone OR (ARGN AND source MATCHES "${ARGN}"))
      continue()
    endif()
    get_filename_component(folder ${name} DIRECTORY)
    set(most ${mercer_together_most})
    if(folder MATCHES "^apps/cli/mercer")
      set(folder apps/cli/mercer)
      set(most 13)
    endif()
    string(MAKE_C_IDENTIFIER ${folder} folder)
    math(EXPR count_${folder} "${count_${folder}} + 1")
    math(EXPR group "(${count_${folder}} - 1) / ${most}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${group})
  endforeach()
endfunction()
