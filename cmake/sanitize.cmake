# -fsanitize for every target, so that no object of a program lacks it.
if(MERCER_SANITIZE)
  add_compile_options(-fsanitize=${MERCER_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${MERCER_SANITIZE})
  if(MERCER_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
endif()
