# Only `mercer serve` needs Boost.Beast (headers only) and simdjson. mercer_requests parses requests, for the program
# and the fuzz targets; server_sources are the remaining sources of the server in the program.
find_path(BEAST_INCLUDE boost/beast/http.hpp)
find_path(SIMDJSON_INCLUDE simdjson.h)
find_library(SIMDJSON_LIBRARY simdjson)
set(serve ${CMAKE_SOURCE_DIR}/apps/mercer)
set(MERCER_SERVER OFF)
if(BEAST_INCLUDE AND SIMDJSON_INCLUDE AND SIMDJSON_LIBRARY)
  set(MERCER_SERVER ON)
endif()

add_library(mercer_requests STATIC ${serve}/content_encoding.cpp)
if(MERCER_SERVER)
  target_sources(mercer_requests PRIVATE ${serve}/http_parse.cpp ${serve}/json_rows.cpp)
  set(server_sources ${serve}/http_connection.cpp ${serve}/http_server.cpp)
  # newer versions of Boost lack the deprecated names
  target_compile_definitions(mercer_requests PUBLIC BOOST_ASIO_NO_DEPRECATED)
  target_link_libraries(mercer_requests PRIVATE ${SIMDJSON_LIBRARY})
else()
  target_sources(mercer_requests PRIVATE ${serve}/json_rows_none.cpp)
  set(server_sources ${serve}/http_server_none.cpp)
endif()
if(ZLIB_FOUND)
  target_compile_definitions(mercer_requests PRIVATE MERCER_HAVE_ZLIB=1)
  target_link_libraries(mercer_requests PRIVATE ZLIB::ZLIB)
endif()
target_include_directories(mercer_requests PUBLIC ${CMAKE_SOURCE_DIR}/apps)
target_link_libraries(mercer_requests PRIVATE mercer mercer_headers)
target_compile_options(mercer_requests PRIVATE $<$<CONFIG:Release>:-O2>)
mercer_warnings(mercer_requests)

# The replacements for builds without these libraries are always compiled, because otherwise errors in them would be
# noticed late.
if(MERCER_SERVER AND MERCER_TESTS)
  add_library(serve_without OBJECT ${serve}/http_server_none.cpp ${serve}/json_rows_none.cpp)
  target_link_libraries(serve_without PRIVATE mercer mercer_headers)
  target_compile_options(serve_without PRIVATE ${mercer_light})
  mercer_warnings(serve_without)
endif()

# Returns the fuzz targets, without those that parse requests if the server is not built.
function(mercer_fuzz_sources out)
  file(GLOB found CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/fuzz/*.cpp)
  if(NOT MERCER_SERVER)
    list(FILTER found EXCLUDE REGEX "/fuzz_(http_request|json_rows)\\.cpp$")
  endif()
  set(${out} ${found} PARENT_SCOPE)
endfunction()
