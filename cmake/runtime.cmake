# SPDX-License-Identifier: MIT
# The run-time library of programs built by `deja cc`, shared and for -static. Its callers are instrumented; it is
# not, whatever options the rest of Deja is built with.
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    message(STATUS "The run-time library of recompiled programs is left out: it knows x86-64 alone")
    return()
endif()

file(GLOB runtime_sources CONFIGURE_DEPENDS tracer/runtime/*.c)
# Loops must not become calls of memcpy and memset, which this library wraps.
set(runtime_flags -O2 -fno-sanitize=all -fno-builtin -fno-tree-loop-distribute-patterns -fno-stack-protector
    -fomit-frame-pointer -ftls-model=initial-exec -fno-lto -fasynchronous-unwind-tables)
if(CMAKE_C_COMPILER_ID MATCHES "Clang")
    list(REMOVE_ITEM runtime_flags -fno-tree-loop-distribute-patterns)
endif()
add_library(deja_runtime SHARED ${runtime_sources})
# OpenMP is separate, since its static library is present only if it is requested.
set(runtime_openmp tracer/runtime/gomp.c tracer/runtime/omp.c)
list(TRANSFORM runtime_openmp PREPEND ${PROJECT_SOURCE_DIR}/)
set(runtime_static_sources ${runtime_sources})
file(GLOB runtime_shared_only CONFIGURE_DEPENDS tracer/runtime/kmp*.c)
list(REMOVE_ITEM runtime_static_sources ${runtime_openmp} ${runtime_shared_only})
add_library(deja_runtime_static STATIC ${runtime_static_sources})
add_library(deja_runtime_openmp STATIC ${runtime_openmp})
foreach(library deja_runtime_static deja_runtime_openmp)
    target_compile_definitions(${library} PRIVATE DEJA_RUNTIME_STATIC)
endforeach()
foreach(library deja_runtime deja_runtime_static deja_runtime_openmp)
    set_target_properties(${library} PROPERTIES OUTPUT_NAME deja-rt NO_SONAME ON
        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tracer
        ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tracer)
    target_include_directories(${library} PRIVATE ${PROJECT_SOURCE_DIR})
    target_include_directories(${library} SYSTEM PRIVATE ${PROJECT_SOURCE_DIR}/include)
    target_compile_options(${library} PRIVATE ${runtime_flags})
endforeach()
set_target_properties(deja_runtime_openmp PROPERTIES OUTPUT_NAME deja-rt-openmp)
target_link_libraries(deja_runtime PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
target_link_options(deja_runtime PRIVATE -fno-sanitize=all -Wl,--no-undefined -Wl,-z,now -Wl,-z,nodelete)
install(TARGETS deja_runtime deja_runtime_static deja_runtime_openmp
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/deja ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/deja)
