# SPDX-License-Identifier: MIT
# Installed files: program, libraries, headers, pkg-config file, CMake package, man pages, shell completion,
# documentation.
include(CMakePackageConfigHelpers)

install(TARGETS deja RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS deja_shared deja_library EXPORT deja-targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/deja DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_BINARY_DIR}/include/deja/version.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/deja)

string(REPLACE ";" " " DEJA_REQUIRES_PRIVATE "${DEJA_MODULES}")
if(DEJA_GPU_LIBRARIES)
    set(DEJA_PC_GPU " ${DEJA_CUDART} -ldl -lrt")
endif()
# Relative to the file itself, so that it also works with `cmake --install --prefix`.
cmake_path(APPEND CMAKE_INSTALL_PREFIX ${CMAKE_INSTALL_LIBDIR} pkgconfig OUTPUT_VARIABLE DEJA_PC_DIR)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${DEJA_PC_DIR} OUTPUT_VARIABLE DEJA_PC_PREFIX)
cmake_path(APPEND DEJA_PC_LIBDIR "\${prefix}" ${CMAKE_INSTALL_LIBDIR})
cmake_path(APPEND DEJA_PC_INCLUDEDIR "\${prefix}" ${CMAKE_INSTALL_INCLUDEDIR})
cmake_path(APPEND DEJA_PC_LIBEXECDIR "\${prefix}" ${CMAKE_INSTALL_LIBEXECDIR})
configure_file(cmake/deja.pc.in deja.pc @ONLY)
configure_file(cmake/deja-record.pc.in deja-record.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/deja.pc ${PROJECT_BINARY_DIR}/deja-record.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(DEJA_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/deja)
configure_package_config_file(cmake/deja-config.cmake.in deja-config.cmake INSTALL_DESTINATION ${DEJA_CMAKE_DIR})
write_basic_package_version_file(deja-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/deja-config.cmake ${PROJECT_BINARY_DIR}/deja-config-version.cmake
    DESTINATION ${DEJA_CMAKE_DIR})
install(EXPORT deja-targets NAMESPACE deja:: DESTINATION ${DEJA_CMAKE_DIR})

install(DIRECTORY docs/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
install(FILES docs/completion/deja.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME deja)
install(FILES docs/completion/_deja DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES docs/completion/deja.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# The pages and the examples; links that would lead out of them are adapted when they are installed.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR BASE_DIRECTORY ${CMAKE_INSTALL_FULL_DOCDIR} OUTPUT_VARIABLE DEJA_DOC_HEADERS)
install(CODE "
    cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_PREFIX OUTPUT_VARIABLE folder)
    cmake_path(APPEND folder \"${CMAKE_INSTALL_DOCDIR}\")
    message(STATUS \"Installing: \$ENV{DESTDIR}\${folder}\")
    execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND sh \"${PROJECT_SOURCE_DIR}/cmake/install-docs\"
        \"${PROJECT_SOURCE_DIR}\" \"\$ENV{DESTDIR}\${folder}\" \"${DEJA_DOC_HEADERS}\")
    file(GLOB_RECURSE files RELATIVE \"\$ENV{DESTDIR}/\" \"\$ENV{DESTDIR}\${folder}/*\")
    list(TRANSFORM files PREPEND /)
    list(APPEND CMAKE_INSTALL_MANIFEST_FILES \${files})")
