# In debug builds, and those are all with sanitizers, the standard library checks every index itself: what lies within a vector's
# capacity is no error to AddressSanitizer, nor is what lies in the array next to it.
add_compile_definitions($<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
# -fsanitize for every target, so that no object of a program lacks it.
if(MERCER_SANITIZE)
  add_compile_options(-fsanitize=${MERCER_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${MERCER_SANITIZE})
  if(MERCER_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
endif()
