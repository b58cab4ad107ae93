# SPDX-License-Identifier: MIT
# deja-symbols, the helper process that reads symbols. Fuzz targets read them in their own process. Sanitizers
# have their own malloc.
if(DEJA_FUZZ)
    return()
endif()
if(CMAKE_C_FLAGS MATCHES "-fsanitize")
    list(REMOVE_ITEM HELPER_SOURCES src/symbols/helper/memory.c)
endif()
set_source_files_properties(src/symbols/helper/memory.c PROPERTIES
    COMPILE_OPTIONS "-fvisibility=default;-fno-builtin")
add_executable(deja_symbols ${HELPER_SOURCES})
set_target_properties(deja_symbols PROPERTIES OUTPUT_NAME deja-symbols
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tracer)
target_include_directories(deja_symbols PRIVATE src)
target_link_libraries(deja_symbols PRIVATE deja_library PkgConfig::DEJA_DEPS)
target_link_options(deja_symbols PRIVATE -Wl,--as-needed)
add_dependencies(deja deja_symbols)
install(TARGETS deja_symbols RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/deja)
