# The library for places without BLAS, threads and files, a browser for one: the same objects, but for those that ask the system, whose place
# their variants x_serial, x_eigen and x_none take (Eigen, one thread, bytes in memory). Nothing is compiled twice but what may use zlib.
set_property(SOURCE ${CMAKE_SOURCE_DIR}/src/mercer/dense/lapack_eigen.cpp APPEND PROPERTY COMPILE_OPTIONS ${mercer_light_loops})
add_library(mercer_core STATIC EXCLUDE_FROM_ALL ${mercer_core_sources} ${CMAKE_SOURCE_DIR}/src/mercer/plot/png.cpp
            "$<FILTER:$<TARGET_OBJECTS:mercer>;$<TARGET_OBJECTS:mercer_upper>,EXCLUDE,${needs_system}>" ${mercer_simd_objects})
target_include_directories(mercer_core PUBLIC ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(mercer_core PRIVATE mercer_headers)
mercer_warnings(mercer_core)
