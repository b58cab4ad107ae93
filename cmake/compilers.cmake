# SPDX-License-Identifier: MIT
# What `deja cc` hands to compilers, beside the library (tracer/runtime) in one
# folder, and the names deja-cc, deja-c++, deja-fc by which build systems can call it.
set(compilers_folder ${CMAKE_INSTALL_LIBEXECDIR}/deja)
set(compilers_built ${PROJECT_BINARY_DIR}/tracer)
file(MAKE_DIRECTORY ${compilers_built})

configure_file(tracer/compilers/gcc.specs ${compilers_built}/gcc.specs COPYONLY)

# The libraries of C++ and Fortran take a program for one with threads when it has
# some of these functions, as it has through our library, and then call all.
set(thread_functions pthread_once pthread_getspecific pthread_setspecific pthread_create pthread_join
    pthread_equal pthread_self pthread_detach pthread_cancel sched_yield pthread_mutex_lock pthread_mutex_trylock
    pthread_mutex_timedlock pthread_mutex_unlock pthread_mutex_init pthread_mutex_destroy pthread_cond_init
    pthread_cond_broadcast pthread_cond_signal pthread_cond_wait pthread_cond_timedwait pthread_cond_destroy
    pthread_key_create pthread_key_delete pthread_mutexattr_init pthread_mutexattr_settype
    pthread_mutexattr_destroy pthread_rwlock_rdlock pthread_rwlock_tryrdlock pthread_rwlock_wrlock
    pthread_rwlock_trywrlock pthread_rwlock_unlock)
list(TRANSFORM thread_functions PREPEND "--undefined=")

# In a statically linked program the linker must lead calls to the library.
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

# Not named *.o: libtool would take it for a part of the compiler.
add_custom_command(OUTPUT ${compilers_built}/instrumented.note
    COMMAND ${CMAKE_C_COMPILER} -c -o ${compilers_built}/instrumented.note
        ${PROJECT_SOURCE_DIR}/tracer/compilers/note.s
    DEPENDS tracer/compilers/note.s VERBATIM)
add_custom_target(deja_note ALL DEPENDS ${compilers_built}/instrumented.note)

install(FILES ${compilers_built}/gcc.specs ${compilers_built}/instrumented.note
    DESTINATION ${compilers_folder})
foreach(name deja-cc deja-c++ deja-fc)
    file(CREATE_LINK deja ${PROJECT_BINARY_DIR}/${name} SYMBOLIC)
    install(FILES ${PROJECT_BINARY_DIR}/${name} DESTINATION ${CMAKE_INSTALL_BINDIR})
endforeach()
