# SPDX-License-Identifier: MIT
# The page of `deja view`, built from viewer/ and embedded in the program, if Node.js 18 or newer and npm are
# installed. Without them, or with DEJA_VIEWER=OFF, the program has no page.
option(DEJA_VIEWER "Build the page of deja view where Node.js and npm are found" ON)
set(viewer_source ${PROJECT_SOURCE_DIR}/viewer)
set(viewer_page ${PROJECT_BINARY_DIR}/viewer/viewer.html)
set(viewer_template ${PROJECT_SOURCE_DIR}/src/view/template.c)
target_sources(deja_cli PRIVATE ${viewer_template})
if(NOT DEJA_VIEWER OR NOT EXISTS ${viewer_source}/build.mjs)
    return()
endif()

file(GLOB_RECURSE viewer_inputs CONFIGURE_DEPENDS ${viewer_source}/src/*)
foreach(name build.mjs package.json package-lock.json tsconfig.json)
    list(APPEND viewer_inputs ${viewer_source}/${name})
endforeach()
list(APPEND viewer_inputs ${PROJECT_SOURCE_DIR}/cmake/build-viewer)
# Empty if it could not be built; that may be different now.
if(EXISTS ${viewer_page})
    file(SIZE ${viewer_page} viewer_bytes)
    if(viewer_bytes EQUAL 0)
        file(REMOVE ${viewer_page})
    endif()
endif()
add_custom_command(OUTPUT ${viewer_page} DEPENDS ${viewer_inputs} VERBATIM COMMENT "Building the page of deja view"
    COMMAND bash ${PROJECT_SOURCE_DIR}/cmake/build-viewer ${viewer_source} ${viewer_page})
add_custom_target(viewer DEPENDS ${viewer_page})
add_dependencies(deja_cli viewer)
set_source_files_properties(${viewer_template} PROPERTIES OBJECT_DEPENDS ${viewer_page}
    COMPILE_DEFINITIONS "DEJA_VIEW_TEMPLATE=\"${viewer_page}\"")
