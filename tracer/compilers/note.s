# SPDX-License-Identifier: MIT
# The mark of what `deja cc` has linked: owner "Deja", type 1, nothing else.
    .section .note.deja.built, "a", @note
    .balign 4
    .long 5, 0, 1
    .asciz "Deja"
    .balign 4
    .section .note.GNU-stack, "", @progbits
