! SPDX-License-Identifier: MIT
! Mesh generation; the same as tomcatv.c.
#include "annotate.fh"
module tomcatv_steps
  use common
  implicit none
  real(dp), parameter :: relax = 1
contains

  !> A square whose right side is bent; the points inside are displaced.
  subroutine begin(n, x, y)
    integer, intent(in) :: n
    real(dp), intent(out) :: x(n, n), y(n, n)
    real(dp) :: s, t, off
    integer :: i, j
    do i = 1, n
      do j = 1, n
        s = real(i - 1, dp) / (n - 1)
        t = real(j - 1, dp) / (n - 1)
        off = 0
        if (i > 1 .and. i < n .and. j > 1 .and. j < n) off = (mod((i - 1) * 7 + (j - 1) * 3, 5) - 2) * 0.1d0 / (n - 1)
        x(j, i) = t + 0.1d0 * t * sin(pi * s) + off
        RECORD; W(x, (j, i))
        y(j, i) = s - off
        RECORD; W(y, (j, i))
      end do
    end do
  end subroutine

  subroutine residuals(n, x, y, aa, dd, rx, ry)
    integer, intent(in) :: n
    real(dp), intent(inout) :: x(n, n), y(n, n), aa(n, n), dd(n, n), rx(n, n), ry(n, n)
    real(dp) :: xx, yx, xy, yy, a, b, c, pxx, qxx, pyy, qyy, pxy, qxy
    integer :: i, j
    do i = 2, n - 1
      do j = 2, n - 1
        xx = x(j+1, i) - x(j-1, i)
        RECORD; R(x, (j+1, i)); R(x, (j-1, i))
        yx = y(j+1, i) - y(j-1, i)
        RECORD; R(y, (j+1, i)); R(y, (j-1, i))
        xy = x(j, i+1) - x(j, i-1)
        RECORD; R(x, (j, i+1)); R(x, (j, i-1))
        yy = y(j, i+1) - y(j, i-1)
        RECORD; R(y, (j, i+1)); R(y, (j, i-1))
        a = 0.25d0 * (xy * xy + yy * yy)
        b = 0.25d0 * (xx * xx + yx * yx)
        c = 0.125d0 * (xx * xy + yx * yy)
        aa(j, i) = -b
        RECORD; W(aa, (j, i))
        dd(j, i) = b + b + a * 2 / relax
        RECORD; W(dd, (j, i))
        pxx = x(j+1, i) - 2 * x(j, i) + x(j-1, i)
        RECORD; R(x, (j+1, i)); R(x, (j, i)); R(x, (j-1, i))
        qxx = y(j+1, i) - 2 * y(j, i) + y(j-1, i)
        RECORD; R(y, (j+1, i)); R(y, (j, i)); R(y, (j-1, i))
        pyy = x(j, i+1) - 2 * x(j, i) + x(j, i-1)
        RECORD; R(x, (j, i+1)); R(x, (j, i)); R(x, (j, i-1))
        qyy = y(j, i+1) - 2 * y(j, i) + y(j, i-1)
        RECORD; R(y, (j, i+1)); R(y, (j, i)); R(y, (j, i-1))
        pxy = x(j+1, i+1) - x(j-1, i+1) - x(j+1, i-1) + x(j-1, i-1)
        RECORD; R(x, (j+1, i+1)); R(x, (j-1, i+1)); R(x, (j+1, i-1)); R(x, (j-1, i-1))
        qxy = y(j+1, i+1) - y(j-1, i+1) - y(j+1, i-1) + y(j-1, i-1)
        RECORD; R(y, (j+1, i+1)); R(y, (j-1, i+1)); R(y, (j+1, i-1)); R(y, (j-1, i-1))
        rx(j, i) = a * pxx + b * pyy - c * pxy
        RECORD; W(rx, (j, i))
        ry(j, i) = a * qxx + b * qyy - c * qxy
        RECORD; W(ry, (j, i))
      end do
    end do
  end subroutine

  real(dp) function largest(n, rx, ry)
    integer, intent(in) :: n
    real(dp), intent(in) :: rx(n, n), ry(n, n)
    integer :: i, j
    largest = 0
    do i = 2, n - 1
      do j = 2, n - 1
        if (.not. abs(rx(j, i)) <= largest) largest = abs(rx(j, i))
        RECORD; R(rx, (j, i))
        if (.not. abs(ry(j, i)) <= largest) largest = abs(ry(j, i))
        RECORD; R(ry, (j, i))
      end do
    end do
  end function

  !> Elimination from line to line, then substitution back: dd is the diagonal, aa the off-diagonal.
  subroutine solve(n, aa, dd, d, rx, ry)
    integer, intent(in) :: n
    real(dp), intent(inout) :: aa(n, n), dd(n, n), d(n, n), rx(n, n), ry(n, n)
    real(dp) :: factor
    integer :: i, j
    do j = 2, n - 1
      d(j, 2) = 1 / dd(j, 2)
      RECORD; R(dd, (j, 2)); W(d, (j, 2))
    end do
    do i = 3, n - 1
      do j = 2, n - 1
        factor = aa(j, i) * d(j, i-1)
        RECORD; R(aa, (j, i)); R(d, (j, i-1))
        d(j, i) = 1 / (dd(j, i) - aa(j, i-1) * factor)
        RECORD; R(dd, (j, i)); R(aa, (j, i-1)); W(d, (j, i))
        rx(j, i) = rx(j, i) - rx(j, i-1) * factor
        RECORD; R(rx, (j, i)); R(rx, (j, i-1)); W(rx, (j, i))
        ry(j, i) = ry(j, i) - ry(j, i-1) * factor
        RECORD; R(ry, (j, i)); R(ry, (j, i-1)); W(ry, (j, i))
      end do
    end do
    do j = 2, n - 1
      rx(j, n-1) = rx(j, n-1) * d(j, n-1)
      RECORD; R(rx, (j, n-1)); R(d, (j, n-1)); W(rx, (j, n-1))
      ry(j, n-1) = ry(j, n-1) * d(j, n-1)
      RECORD; R(ry, (j, n-1)); R(d, (j, n-1)); W(ry, (j, n-1))
    end do
    do i = n - 2, 2, -1
      do j = 2, n - 1
        rx(j, i) = (rx(j, i) - aa(j, i) * rx(j, i+1)) * d(j, i)
        RECORD; R(rx, (j, i)); R(aa, (j, i)); R(rx, (j, i+1)); R(d, (j, i)); W(rx, (j, i))
        ry(j, i) = (ry(j, i) - aa(j, i) * ry(j, i+1)) * d(j, i)
        RECORD; R(ry, (j, i)); R(aa, (j, i)); R(ry, (j, i+1)); R(d, (j, i)); W(ry, (j, i))
      end do
    end do
  end subroutine

  subroutine step(n, x, y, rx, ry)
    integer, intent(in) :: n
    real(dp), intent(inout) :: x(n, n), y(n, n), rx(n, n), ry(n, n)
    integer :: i, j
    do i = 2, n - 1
      do j = 2, n - 1
        x(j, i) = x(j, i) + rx(j, i)
        RECORD; R(x, (j, i)); R(rx, (j, i)); W(x, (j, i))
        y(j, i) = y(j, i) + ry(j, i)
        RECORD; R(y, (j, i)); R(ry, (j, i)); W(y, (j, i))
      end do
    end do
  end subroutine
end module

program tomcatv
  use tomcatv_steps
  implicit none
  real(dp), allocatable :: x(:, :), y(:, :), aa(:, :), dd(:, :), d(:, :), rx(:, :), ry(:, :)
  real(dp) :: first, last, most, falls
  integer :: n, iterations, round
  n = argument(1, 150, 4)
  iterations = argument(2, 5, 2)
  allocate (x(n, n), y(n, n), aa(n, n), dd(n, n), d(n, n), rx(n, n), ry(n, n))
  ARRAY(x)
  ARRAY(y)
  ARRAY(aa)
  ARRAY(dd)
  ARRAY(d)
  ARRAY(rx)
  ARRAY(ry)
  first = 0
  last = 0
  falls = 1
  call begin(n, x, y)
  do round = 1, iterations
    call residuals(n, x, y, aa, dd, rx, ry)
    most = largest(n, rx, ry)
    if (round == 1) first = most
    if (round > 1 .and. .not. most < last) falls = huge(falls) ! each residual is smaller than the one before
    last = most
    call solve(n, aa, dd, d, rx, ry)
    call step(n, x, y, rx, ry)
  end do
  call verdict('tomcatv', n, iterations, sum(x) + 2 * sum(y), falls * (last / first), 0.5d0)
end program
