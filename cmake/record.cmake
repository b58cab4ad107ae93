# SPDX-License-Identifier: MIT
# What programs with annotations load (include/deja/record.h): the library as a
# whole, with one symbol to be seen.
add_library(deja_record MODULE src/record/recorder.c $<TARGET_OBJECTS:deja_objects>)
set_target_properties(deja_record PROPERTIES OUTPUT_NAME deja-record PREFIX lib
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tracer)
target_include_directories(deja_record PRIVATE include ${PROJECT_BINARY_DIR}/include src ${PROJECT_SOURCE_DIR})
target_link_libraries(deja_record PRIVATE PkgConfig::DEJA_DEPS Threads::Threads m stdc++)
target_link_options(deja_record PRIVATE -Wl,-z,nodelete
    -Wl,--version-script=${PROJECT_SOURCE_DIR}/src/record/exports.map)
set_target_properties(deja_record PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/src/record/exports.map)
# Compiled with the Fortran programs that use them.
install(FILES bindings/fortran/deja_record.f90 bindings/fortran/deja_record.c
    DESTINATION ${CMAKE_INSTALL_DATADIR}/deja/fortran)
install(TARGETS deja_record LIBRARY DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/deja)
