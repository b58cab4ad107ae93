# SPDX-License-Identifier: MIT
# What `deja cc` hands to compilers, beside the library (tracer/runtime) in one
# folder, and the names deja-cc, deja-c++, deja-fc by which build systems can call it.
set(compilers_folder ${CMAKE_INSTALL_LIBEXECDIR}/deja)
set(compilers_built ${PROJECT_BINARY_DIR}/tracer)
file(MAKE_DIRECTORY ${compilers_built})

configure_file(tracer/compilers/gcc.specs ${compilers_built}/gcc.specs COPYONLY)

# In a statically linked program the linker must lead calls to the library.
foreach(list "" "-openmp")
    set(names tracer/runtime/wrapped${list}.txt)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${names})
    file(STRINGS ${names} wrapped REGEX "^[^#]")
    list(TRANSFORM wrapped PREPEND "--wrap=")
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
