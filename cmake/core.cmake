# The library for systems without BLAS, threads and files, such as a browser: the same objects, except that the sources
# that need the system are replaced by their variants x_serial (one thread), x_eigen (Eigen) and x_none (bytes in
# memory). Only sources that may use zlib are compiled twice.
set_property(SOURCE ${CMAKE_SOURCE_DIR}/src/mercer/dense/lapack_eigen.cpp APPEND PROPERTY COMPILE_OPTIONS ${mercer_light_loops})
add_library(mercer_core STATIC EXCLUDE_FROM_ALL ${mercer_core_sources} ${CMAKE_SOURCE_DIR}/src/mercer/plot/png.cpp
            "$<FILTER:$<TARGET_OBJECTS:mercer>;$<TARGET_OBJECTS:mercer_upper>,EXCLUDE,${needs_system}>" ${mercer_simd_objects})
target_include_directories(mercer_core PUBLIC ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(mercer_core PRIVATE mercer_headers)
mercer_warnings(mercer_core)
