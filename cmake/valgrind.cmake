# SPDX-License-Identifier: MIT
# The tracer: a Valgrind tool, linked statically with the core in Debian's package `valgrind`, like the stock tools.
# Its folder serves as VALGRIND_LIB, so it contains links to the stock files. Skipped without the package.
find_path(VALGRIND_HEADERS pub_tool_tooliface.h PATH_SUFFIXES valgrind)
find_library(VALGRIND_CORE libcoregrind-amd64-linux.a PATH_SUFFIXES valgrind)
find_path(VALGRIND_STOCK vgpreload_core-amd64-linux.so
    PATHS /usr/libexec/valgrind /usr/lib/x86_64-linux-gnu/valgrind /usr/lib/valgrind /usr/local/libexec/valgrind
    NO_DEFAULT_PATH)
if(NOT VALGRIND_HEADERS OR NOT VALGRIND_CORE OR NOT VALGRIND_STOCK)
    message(STATUS "The tracer is left out: install the package valgrind to build it")
    return()
endif()

get_filename_component(valgrind_libraries ${VALGRIND_CORE} DIRECTORY)
file(GLOB tracer_sources CONFIGURE_DEPENDS tracer/valgrind/*.c)
add_executable(deja_tracer ${tracer_sources})
set_target_properties(deja_tracer PROPERTIES OUTPUT_NAME deja-amd64-linux POSITION_INDEPENDENT_CODE OFF
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tracer)
target_include_directories(deja_tracer PRIVATE ${PROJECT_SOURCE_DIR})
target_include_directories(deja_tracer SYSTEM PRIVATE ${VALGRIND_HEADERS})
target_compile_definitions(deja_tracer PRIVATE VGA_amd64=1 VGO_linux=1 VGP_amd64_linux=1 VGPV_amd64_linux_vanilla=1)
# It runs without a C library and on small stacks, so no sanitizer works.
target_compile_options(deja_tracer PRIVATE -O2 -fno-pie -ffreestanding -fno-builtin -fno-stack-protector
    -fno-strict-aliasing -fomit-frame-pointer -mno-avx -fno-sanitize=all)
target_link_options(deja_tracer PRIVATE -static -nodefaultlibs -nostartfiles -fno-sanitize=all -u _start
    -Wl,--build-id=none -Wl,-Ttext-segment=0x58000000
    -Wl,--wrap=vgPlain_exit -Wl,--wrap=vgPlain_client_exit -Wl,--wrap=vgPlain_kill_self
    -Wl,--wrap=vgModuleLocal_read_debuginfo_dwarf3
    -Wl,--wrap=vgModuleLocal_read_callframe_info_dwarf3
    -Wl,--wrap=vgPlain_ii_create_image -Wl,--wrap=vgSysWrap_generic_sys_execve_before -Wl,--wrap=vgPlain_message -Wl,--wrap=vgPlain_umsg -Wl,--wrap=vgPlain_dmsg)
target_link_libraries(deja_tracer PRIVATE ${VALGRIND_CORE} ${valgrind_libraries}/libvex-amd64-linux.a
    ${valgrind_libraries}/libgcc-sup-amd64-linux.a gcc)

# The launcher; Valgrind calls it again for the children of a traced program.
add_executable(deja_launcher tracer/launcher.c)
set_target_properties(deja_launcher PROPERTIES OUTPUT_NAME deja-launcher
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tracer)
target_compile_options(deja_launcher PRIVATE -fno-sanitize=all)
target_link_options(deja_launcher PRIVATE -fno-sanitize=all)

# Loaded by annotated programs under Valgrind.
add_library(deja_marks MODULE tracer/marks/marks.c)
set_target_properties(deja_marks PROPERTIES OUTPUT_NAME deja-marks PREFIX lib C_VISIBILITY_PRESET hidden
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tracer)
target_include_directories(deja_marks SYSTEM PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_compile_options(deja_marks PRIVATE -O2 -fno-sanitize=all -fno-stack-protector -fno-lto)
target_link_options(deja_marks PRIVATE -nostdlib -fno-sanitize=all -Wl,-z,nodelete)

set(tracer_folder ${CMAKE_INSTALL_LIBEXECDIR}/deja)
install(TARGETS deja_tracer deja_launcher deja_marks RUNTIME DESTINATION ${tracer_folder}
    LIBRARY DESTINATION ${tracer_folder})
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/tracer)
file(GLOB stock_files ${VALGRIND_STOCK}/*)
foreach(stock ${stock_files})
    get_filename_component(name ${stock} NAME)
    file(CREATE_LINK ${stock} ${PROJECT_BINARY_DIR}/tracer/${name} SYMBOLIC)
    install(FILES ${PROJECT_BINARY_DIR}/tracer/${name} DESTINATION ${tracer_folder})
endforeach()
