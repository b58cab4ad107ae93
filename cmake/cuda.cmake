# SPDX-License-Identifier: MIT
# Support for NVIDIA GPUs (src/gpu/*.cu), if CUDA 12 or newer is installed. Sets DEJA_GPU_OBJECTS and
# DEJA_GPU_LIBRARIES, or DEJA_NO_CUDA to the reason; the stubs in src/gpu/*.c are then used.
option(DEJA_CUDA "Build the engines for NVIDIA GPUs where nvcc is found" ON)
set(DEJA_NO_CUDA "")
file(GLOB DEJA_GPU_STUBS CONFIGURE_DEPENDS src/gpu/*.c)
file(GLOB DEJA_GPU_SOURCES CONFIGURE_DEPENDS src/gpu/*.cu)

if(NOT DEJA_CUDA)
    set(DEJA_NO_CUDA "it was built with DEJA_CUDA=OFF")
else()
    set(nvcc_name nvcc)
    if(NOT "$ENV{CUDACXX}" STREQUAL "")
        set(nvcc_name "$ENV{CUDACXX}")
    endif()
    find_program(DEJA_NVCC NAMES ${nvcc_name} HINTS ENV CUDA_PATH ENV CUDA_HOME PATH_SUFFIXES bin
        PATHS /usr/local/cuda/bin /opt/cuda/bin)
    if(NOT DEJA_NVCC)
        set(DEJA_NO_CUDA "no ${nvcc_name} was found when it was built")
    endif()
endif()

if(NOT DEJA_NO_CUDA)
    execute_process(COMMAND ${DEJA_NVCC} --version RESULT_VARIABLE ignored OUTPUT_VARIABLE nvcc_says ERROR_QUIET)
    string(REGEX MATCH "release ([0-9]+)\\.([0-9]+)" found "${nvcc_says}")
    set(DEJA_CUDA_VERSION ${CMAKE_MATCH_1}.${CMAKE_MATCH_2})
    # The toolkit may be elsewhere: nvcc may be a link or a script.
    execute_process(COMMAND ${DEJA_NVCC} -v nothing RESULT_VARIABLE ignored OUTPUT_QUIET ERROR_VARIABLE nvcc_tells)
    string(REGEX MATCH "TOP=([^\r\n]*)" top "${nvcc_tells}")
    set(cuda_folder "${CMAKE_MATCH_1}")
    find_library(DEJA_CUDART cudart_static NO_CACHE HINTS ${cuda_folder}/lib64 ${cuda_folder}/lib
        ${cuda_folder}/targets/${CMAKE_SYSTEM_PROCESSOR}-linux/lib ${cuda_folder}/targets/sbsa-linux/lib)
    if(NOT found)
        set(DEJA_NO_CUDA "${DEJA_NVCC} did not tell its version when it was built")
    elseif(DEJA_CUDA_VERSION VERSION_LESS 12)
        set(DEJA_NO_CUDA "it was built with CUDA ${DEJA_CUDA_VERSION}, and needs 12 or newer")
    elseif(NOT DEJA_CUDART)
        set(DEJA_NO_CUDA "no libcudart_static.a was found when it was built")
    endif()
endif()

if(NOT DEJA_NO_CUDA)
    # Each also runs on later devices of its generation; the last is included as PTX for future ones.
    set(cuda_targets 75 80 90)
    if(DEJA_CUDA_VERSION VERSION_LESS 13)
        list(PREPEND cuda_targets 70)
    endif()
    set(DEJA_NVCC_FLAGS -std=c++17 -O3 -lineinfo --threads 2 -Xcompiler=-fPIC,-fvisibility=hidden)
    foreach(target ${cuda_targets})
        list(APPEND DEJA_NVCC_FLAGS -gencode arch=compute_${target},code=sm_${target})
    endforeach()
    list(GET cuda_targets -1 newest)
    list(APPEND DEJA_NVCC_FLAGS -gencode arch=compute_${newest},code=compute_${newest})
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
        list(APPEND DEJA_NVCC_FLAGS -ccbin ${CMAKE_CXX_COMPILER})
    endif()
    list(TRANSFORM cuda_targets PREPEND sm_)
    list(JOIN cuda_targets ", " DEJA_CUDA_TARGETS)
    set(DEJA_CUDA_TARGETS "CUDA ${DEJA_CUDA_VERSION}, ${DEJA_CUDA_TARGETS} and newer")

    # An installed nvcc may not support the compiler of this machine.
    set(cuda_trial ${PROJECT_BINARY_DIR}/gpu/trial)
    if(NOT DEJA_NVCC_WORKS STREQUAL "${DEJA_NVCC} ${CMAKE_CXX_COMPILER}")
        file(WRITE ${cuda_trial}.cu "#include <cub/version.cuh>\n#include <string>\n")
        execute_process(COMMAND ${DEJA_NVCC} ${DEJA_NVCC_FLAGS} -c ${cuda_trial}.cu -o ${cuda_trial}.o
            RESULT_VARIABLE nvcc_failed OUTPUT_QUIET ERROR_QUIET)
        if(nvcc_failed)
            set(DEJA_NO_CUDA "${DEJA_NVCC} did not work with ${CMAKE_CXX_COMPILER} when it was built")
        else()
            set(DEJA_NVCC_WORKS "${DEJA_NVCC} ${CMAKE_CXX_COMPILER}" CACHE INTERNAL "")
        endif()
    endif()
endif()

if(DEJA_NO_CUDA)
    message(STATUS "without GPUs: ${DEJA_NO_CUDA}")
else()
    message(STATUS "with GPUs: ${DEJA_CUDA_TARGETS}")
    set(DEJA_GPU_LIBRARIES ${DEJA_CUDART} dl rt)
endif()

# Compiles CUDA sources. Sanitizers apply to host code only, and not to these files.
function(deja_compile_cuda out)
    set(objects "")
    foreach(source ${ARGN})
        cmake_path(GET source FILENAME name)
        set(object ${PROJECT_BINARY_DIR}/gpu/${name}.o)
        add_custom_command(OUTPUT ${object} DEPENDS ${source} DEPFILE ${object}.d VERBATIM
            COMMENT "Building CUDA object gpu/${name}.o"
            COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${DEJA_NVCC} ${DEJA_NVCC_FLAGS} -MD -MF ${object}.d -MT ${object}
                "-DDEJA_CUDA_TARGETS=\"${DEJA_CUDA_TARGETS}\"" -I${PROJECT_SOURCE_DIR}/include
                -I${PROJECT_BINARY_DIR}/include -I${PROJECT_SOURCE_DIR}/src -c ${source} -o ${object})
        list(APPEND objects ${object})
    endforeach()
    set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    set(${out} ${objects} PARENT_SCOPE)
endfunction()

file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/gpu)
if(DEJA_NO_CUDA)
    set(DEJA_GPU_OBJECTS "")
else()
    deja_compile_cuda(DEJA_GPU_OBJECTS ${DEJA_GPU_SOURCES})
    add_custom_target(deja_cuda DEPENDS ${DEJA_GPU_OBJECTS})
endif()

# Adds CUDA support to a library, or the stubs that report its absence.
function(deja_add_gpu library)
    if(DEJA_NO_CUDA)
        target_sources(${library} PRIVATE ${DEJA_GPU_STUBS})
        target_compile_definitions(${library} PRIVATE "DEJA_NO_CUDA=\"${DEJA_NO_CUDA}\"")
        target_include_directories(${library} PRIVATE src)
    else()
        target_sources(${library} PRIVATE ${DEJA_GPU_OBJECTS})
        add_dependencies(${library} deja_cuda)
    endif()
endfunction()
