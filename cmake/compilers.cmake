# SPDX-License-Identifier: MIT
# The files that `deja cc` passes to compilers, in one folder with the run-time library (tracer/runtime), and
# the names deja-cc, deja-c++ and deja-fc, under which build systems can call it.
set(compilers_folder ${CMAKE_INSTALL_LIBEXECDIR}/deja)
set(compilers_built ${PROJECT_BINARY_DIR}/tracer)
file(MAKE_DIRECTORY ${compilers_built})

configure_file(tracer/compilers/gcc.specs ${compilers_built}/gcc.specs COPYONLY)

# The C++ and Fortran libraries assume threads if a program has some of these functions, and then call all of
# them. Through our library it does.
set(thread_functions pthread_once pthread_getspecific pthread_setspecific pthread_create pthread_join
    pthread_equal pthread_self pthread_detach pthread_cancel sched_yield pthread_mutex_lock pthread_mutex_trylock
    pthread_mutex_timedlock pthread_mutex_unlock pthread_mutex_init pthread_mutex_destroy pthread_cond_init
    pthread_cond_broadcast pthread_cond_signal pthread_cond_wait pthread_cond_timedwait pthread_cond_destroy
    pthread_key_create pthread_key_delete pthread_mutexattr_init pthread_mutexattr_settype
    pthread_mutexattr_destroy pthread_rwlock_rdlock pthread_rwlock_tryrdlock pthread_rwlock_wrlock
    pthread_rwlock_trywrlock pthread_rwlock_unlock)
# The C++ library defines it together with functions to which our library refers weakly (guards.c).
list(APPEND thread_functions __cxa_guard_abort)
list(TRANSFORM thread_functions PREPEND "--undefined=")

# In a statically linked program the linker must redirect calls to the library.
foreach(list "" "-openmp")
    set(names tracer/runtime/wrapped${list}.txt)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${names})
    file(STRINGS ${names} wrapped REGEX "^[^#]")
    list(TRANSFORM wrapped PREPEND "--wrap=")
    list(APPEND wrapped ${thread_functions})
    list(JOIN wrapped "\n" wrap_options)
    file(CONFIGURE OUTPUT ${compilers_built}/wrap${list}.options CONTENT "${wrap_options}\n" @ONLY)
    install(FILES ${compilers_built}/wrap${list}.options DESTINATION ${compilers_folder})
endforeach()

# Not named *.o, or libtool would treat it as a part of the compiler.
add_custom_command(OUTPUT ${compilers_built}/instrumented.note
    COMMAND ${CMAKE_C_COMPILER} -c -o ${compilers_built}/instrumented.note
        ${PROJECT_SOURCE_DIR}/tracer/compilers/note.s
    DEPENDS tracer/compilers/note.s VERBATIM)
add_custom_target(deja_note ALL DEPENDS ${compilers_built}/instrumented.note)

# For the gcc of this machine, even if Deja is built with another compiler. Without the headers
# (Debian's gcc-12-plugin-dev) some accesses are lost; see docs/recompiling.md.
find_program(DEJA_GXX g++)
if(DEJA_GXX)
    execute_process(COMMAND ${DEJA_GXX} -print-file-name=plugin OUTPUT_VARIABLE plugin_folder
        OUTPUT_STRIP_TRAILING_WHITESPACE)
    execute_process(COMMAND ${DEJA_GXX} -dumpversion OUTPUT_VARIABLE gcc_version OUTPUT_STRIP_TRAILING_WHITESPACE)
    string(REGEX MATCH "^[0-9]+" gcc_version "${gcc_version}")
endif()
if(DEJA_GXX AND EXISTS ${plugin_folder}/include/gcc-plugin.h)
    set(gcc_plugin ${compilers_built}/gcc-plugin-${gcc_version}.so)
    add_custom_command(OUTPUT ${gcc_plugin} DEPENDS tracer/compilers/gcc_plugin.cpp VERBATIM
        COMMAND ${DEJA_GXX} -O2 -Wall -Wextra -fPIC -shared -fno-rtti -fvisibility=hidden
            -isystem ${plugin_folder}/include -o ${gcc_plugin} ${PROJECT_SOURCE_DIR}/tracer/compilers/gcc_plugin.cpp)
    add_custom_target(deja_gcc_plugin ALL DEPENDS ${gcc_plugin})
    install(FILES ${gcc_plugin} DESTINATION ${compilers_folder})
else()
    message(STATUS "The plugin of gcc is left out: install the package gcc-${gcc_version}-plugin-dev to build it")
endif()

install(FILES ${compilers_built}/gcc.specs ${compilers_built}/instrumented.note
    DESTINATION ${compilers_folder})
foreach(name deja-cc deja-c++ deja-fc)
    file(CREATE_LINK deja ${PROJECT_BINARY_DIR}/${name} SYMBOLIC)
    install(FILES ${PROJECT_BINARY_DIR}/${name} DESTINATION ${CMAKE_INSTALL_BINDIR})
endforeach()
