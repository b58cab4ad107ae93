! SPDX-License-Identifier: MIT
! A module array, an array and a scalar in COMMON, an allocatable array.
module fields
    implicit none
    integer, parameter :: rows = 60, columns = 40
    real(8), volatile :: field(rows, columns)
contains
    subroutine fill()
        integer :: i, j
        do j = 1, columns
            do i = 1, rows
                field(i, j) = i + j ! [fill]
            end do
        end do
    end subroutine fill
end module fields

subroutine share(n)
    implicit none
    integer, intent(in) :: n
    integer :: i
    real(8), volatile :: table(500)
    integer, volatile :: total
    common /shared/ table, total
    do i = 1, n
        table(i) = i ! [table]
        total = i ! [total]
    end do
end subroutine share

program main
    use fields
    implicit none
    real(8), allocatable, volatile :: values(:)
    real(8) :: sum
    integer :: i, j
    call fill()
    call share(500)
    allocate (values(1000))
    do i = 1, 1000
        values(i) = i ! [values]
    end do
    sum = 0
    do i = 1, rows
        do j = 1, columns
            sum = sum + field(i, j) ! [sum]
        end do
    end do
    print '(F12.1)', sum + values(7)
end program main
