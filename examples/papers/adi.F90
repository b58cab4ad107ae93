! SPDX-License-Identifier: MIT
! Alternating direction implicit integration; the same as adi.c.
#include "annotate.fh"
module adi_steps
  use common
  implicit none
  real(dp), parameter :: diagonal = 4, side_value = 1
contains

  subroutine begin(n, x, a, b)
    integer, intent(in) :: n
    real(dp), intent(out) :: x(n, n), a(n, n), b(n, n)
    integer :: i, j
    do i = 1, n
      do j = 1, n
        x(i, j) = 1
        RECORD; W(x, (i, j))
        a(i, j) = -1
        RECORD; W(a, (i, j))
        b(i, j) = diagonal
        RECORD; W(b, (i, j))
      end do
    end do
  end subroutine

  !> Each column in turn, from top to bottom.
  subroutine down_columns(n, x, a, b)
    integer, intent(in) :: n
    real(dp), intent(inout) :: x(n, n), a(n, n), b(n, n)
    integer :: i, j
    do j = 1, n
      x(1, j) = x(1, j) - a(1, j) * side_value
      RECORD; R(x, (1, j)); R(a, (1, j)); W(x, (1, j))
      do i = 2, n
        x(i, j) = x(i, j) - x(i-1, j) * a(i, j) / b(i-1, j)
        RECORD; R(x, (i, j)); R(x, (i-1, j)); R(a, (i, j)); R(b, (i-1, j)); W(x, (i, j))
        b(i, j) = b(i, j) - a(i, j) * a(i, j) / b(i-1, j)
        RECORD; R(b, (i, j)); R(a, (i, j)); R(a, (i, j)); R(b, (i-1, j)); W(b, (i, j))
      end do
    end do
  end subroutine

  !> All rows at once, from left to right.
  subroutine along_rows(n, x, a, b)
    integer, intent(in) :: n
    real(dp), intent(inout) :: x(n, n), a(n, n), b(n, n)
    integer :: i, j
    do i = 1, n
      x(i, 1) = x(i, 1) - a(i, 1) * side_value
      RECORD; R(x, (i, 1)); R(a, (i, 1)); W(x, (i, 1))
    end do
    do j = 2, n
      do i = 1, n
        x(i, j) = x(i, j) - x(i, j-1) * a(i, j) / b(i, j-1)
        RECORD; R(x, (i, j)); R(x, (i, j-1)); R(a, (i, j)); R(b, (i, j-1)); W(x, (i, j))
        b(i, j) = b(i, j) - a(i, j) * a(i, j) / b(i, j-1)
        RECORD; R(b, (i, j)); R(a, (i, j)); R(a, (i, j)); R(b, (i, j-1)); W(b, (i, j))
      end do
    end do
  end subroutine

  subroutine divide(n, x, b)
    integer, intent(in) :: n
    real(dp), intent(inout) :: x(n, n), b(n, n)
    integer :: i, j
    do j = 1, n
      do i = 1, n
        x(i, j) = x(i, j) / b(i, j)
        RECORD; R(x, (i, j)); R(b, (i, j)); W(x, (i, j))
      end do
    end do
  end subroutine

  !> Pivot k, and the eliminated right side r; see adi.c.
  pure real(dp) function pivot(d, k)
    real(dp), intent(in) :: d
    integer, intent(in) :: k
    real(dp) :: t
    t = acosh(d / 2)
    pivot = (exp(t) - exp(-(2 * k + 1) * t)) / (1 - exp(-2 * k * t))
  end function

  pure real(dp) function eliminated(d, r, k)
    real(dp), intent(in) :: d, r
    integer, intent(in) :: k
    real(dp) :: t, total
    t = acosh(d / 2)
    total = (exp(t / 2) + exp(-(2 * k + 0.5d0) * t) - 2 * cosh(t / 2) * exp(-k * t)) / (2 * sinh(t / 2))
    eliminated = (2 * sinh(t) * exp(-k * t) + r * total) / (1 - exp(-2 * k * t))
  end function

  !> The largest relative difference from the closed form.
  subroutine check(n, x, checksum, error)
    integer, intent(in) :: n
    real(dp), intent(in) :: x(n, n)
    real(dp), intent(out) :: checksum, error
    real(dp) :: d, r, off
    integer :: i, j
    checksum = 0
    error = 0
    do i = 1, n
      d = pivot(diagonal, i)
      r = eliminated(diagonal, 1d0, i)
      do j = 1, n
        off = abs(x(i, j) / (eliminated(d, r, j) / pivot(d, j)) - 1)
        if (.not. off <= error) error = off
        checksum = checksum + x(i, j) * (1 + mod(i + 2 * j, 3))
      end do
    end do
  end subroutine
end module

program adi
  use adi_steps
  implicit none
  real(dp), allocatable :: x(:, :), a(:, :), b(:, :)
  real(dp) :: checksum, error
  integer :: n, iterations, round
  n = argument(1, 100, 2)
  iterations = argument(2, 1, 1)
  allocate (x(n, n), a(n, n), b(n, n))
  ARRAY(x)
  ARRAY(a)
  ARRAY(b)
  do round = 1, iterations
    call begin(n, x, a, b)
    call down_columns(n, x, a, b)
    call along_rows(n, x, a, b)
    call divide(n, x, b)
  end do
  call check(n, x, checksum, error)
  call verdict('adi', n, iterations, checksum, error, 1d-11)
end program
