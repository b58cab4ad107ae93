# SPDX-License-Identifier: MIT
# Marks files linked by `deja cc`: owner "Deja", type 1, no contents.
    .section .note.deja.built, "a", @note
    .balign 4
    .long 5, 0, 1
    .asciz "Deja"
    .balign 4
    .section .note.GNU-stack, "", @progbits
