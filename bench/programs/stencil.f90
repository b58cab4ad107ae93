! SPDX-License-Identifier: MIT
! Seven-point stencil in a cube, in whole-array notation.
program stencil
    implicit none
    integer, parameter :: side = 48
    real(8) :: now(side, side, side), next(side, side, side)
    integer :: rounds, r, i, j, k
    character(len=32) :: argument
    rounds = 1
    call get_command_argument(1, argument)
    if (len_trim(argument) > 0) read (argument, *) rounds
    now = 0
    now(1, :, :) = 1
    next = now
    do r = 1, rounds
        do k = 2, side - 1
            do j = 2, side - 1
                do i = 2, side - 1
                    next(i, j, k) = (now(i, j, k) + now(i - 1, j, k) + now(i + 1, j, k) + now(i, j - 1, k) &
                                     + now(i, j + 1, k) + now(i, j, k - 1) + now(i, j, k + 1))/7
                end do
            end do
        end do
        now = next
    end do
    print *, now(side/2, side/2, side/2)
end program stencil
