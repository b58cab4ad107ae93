! SPDX-License-Identifier: MIT
module grids
  implicit none
  real(8) :: field(64, 64)
contains
  subroutine relax(n)
    integer, intent(in) :: n
    integer :: i, j
    do j = 2, n - 1 ! MARK relax.1
      do i = 2, n - 1 ! MARK relax.2
        field(i, j) = 0.25d0 * (field(i - 1, j) + field(i + 1, j)) ! MARK relax.2.end
      end do
    end do
    call inner(n)
  contains
    subroutine inner(m)
      integer, intent(in) :: m
      field(m, m) = 1 ! MARK inner
    end subroutine inner
  end subroutine relax
end module grids

subroutine plain(n)
  use grids
  implicit none
  integer, intent(in) :: n
  field(n, 1) = 2
end subroutine plain

program stencil
  use grids
  implicit none
  call relax(64)
  call plain(3)
  print *, field(3, 1)
end program stencil
