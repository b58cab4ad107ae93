# SPDX-License-Identifier: MIT
# libdeja-record, which annotated programs load (include/deja/record.h): the complete library, with one visible
# symbol.
set(record_objects deja_objects)
if(CMAKE_C_FLAGS MATCHES "-fsanitize")
    # Programs without a sanitizer load it, and cannot load one with it.
    set(record_objects deja_record_objects)
    add_library(deja_record_objects OBJECT ${DEJA_SOURCES})
    target_include_directories(deja_record_objects PRIVATE include ${PROJECT_BINARY_DIR}/include src ${PROJECT_SOURCE_DIR})
    target_link_libraries(deja_record_objects PRIVATE PkgConfig::DEJA_DEPS Threads::Threads)
    target_compile_options(deja_record_objects PRIVATE -fno-sanitize=all)
endif()
add_library(deja_record MODULE src/annotations/recorder.c ${DEJA_GPU_STUBS} $<TARGET_OBJECTS:${record_objects}>)
target_compile_options(deja_record PRIVATE -fno-sanitize=all)
target_compile_definitions(deja_record PRIVATE "DEJA_NO_CUDA=\"programs with annotations do without\"")
set_target_properties(deja_record PROPERTIES OUTPUT_NAME deja-record PREFIX lib
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tracer)
target_include_directories(deja_record PRIVATE include ${PROJECT_BINARY_DIR}/include src ${PROJECT_SOURCE_DIR})
target_link_libraries(deja_record PRIVATE PkgConfig::DEJA_DEPS Threads::Threads m stdc++)
target_link_options(deja_record PRIVATE -fno-sanitize=all -Wl,-z,nodelete
    -Wl,--version-script=${PROJECT_SOURCE_DIR}/src/annotations/exports.map)
set_target_properties(deja_record PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/src/annotations/exports.map)

# The Fortran module, for the gfortran of this machine, and its functions, which are linked only into programs that
# use them. They are next to gcc.specs, which needs the folder and the library even without gfortran.
find_program(DEJA_GFORTRAN gfortran)
set(fortran_folder ${PROJECT_BINARY_DIR}/tracer/fortran)
set(fortran_library ${PROJECT_BINARY_DIR}/tracer/libdeja-fortran.a)
set(fortran_sources ${PROJECT_SOURCE_DIR}/bindings/fortran)
file(MAKE_DIRECTORY ${fortran_folder})
if(DEJA_GFORTRAN)
    set(fortran_module ${fortran_folder}/deja_record.mod)
    set(fortran_object ${fortran_folder}/deja_record.o)
    add_custom_command(OUTPUT ${fortran_module} DEPENDS bindings/fortran/deja_record.f90 VERBATIM
        COMMAND ${DEJA_GFORTRAN} -fsyntax-only -J ${fortran_folder} ${fortran_sources}/deja_record.f90
        COMMAND ${CMAKE_COMMAND} -E touch ${fortran_module}) # which is left as it is when it has not changed
    add_custom_command(OUTPUT ${fortran_object} DEPENDS bindings/fortran/deja_record.c include/deja/record.h VERBATIM
        COMMAND ${DEJA_GFORTRAN} -O2 -g -fPIC -I${PROJECT_SOURCE_DIR}/include -c -o ${fortran_object}
            ${fortran_sources}/deja_record.c)
    set(DEJA_PC_FORTRAN_CFLAGS " -I\${libexecdir}/deja/fortran")
    set(DEJA_PC_FORTRAN_LIBS "\${libexecdir}/deja/libdeja-fortran.a")
else()
    message(STATUS "no gfortran: the Fortran module of annotations is not built")
endif()
add_custom_command(OUTPUT ${fortran_library} DEPENDS ${fortran_object} VERBATIM
    COMMAND ${CMAKE_COMMAND} -E rm -f ${fortran_library}
    COMMAND ${CMAKE_AR} rcs ${fortran_library} ${fortran_object})
add_custom_target(deja_fortran ALL DEPENDS ${fortran_module} ${fortran_library})
install(DIRECTORY DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/deja/fortran)
install(FILES ${fortran_module} DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/deja/fortran)
install(FILES ${fortran_library} DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/deja)

# The sources, for other compilers.
install(FILES bindings/fortran/deja_record.f90 bindings/fortran/deja_record.c
    DESTINATION ${CMAKE_INSTALL_DATADIR}/deja/fortran)
install(TARGETS deja_record LIBRARY DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/deja)
