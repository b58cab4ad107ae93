! SPDX-License-Identifier: MIT
! Fourier transform of n × n complex numbers by rows and columns, and its inverse;
! the same as fft.c.
#include "annotate.fh"
module fft_steps
  use common
  implicit none
  integer, parameter :: re = 1, im = 2
contains

  pure real(dp) function signal_at(i, j, part)
    integer, intent(in) :: i, j, part
    signal_at = (mod(i * 37 + j * 101 + (part - re) * 53, 64) - 32) / 32d0
  end function

  !> The n-th roots of unity. The inverse uses the second half.
  subroutine begin(n, x, wr, wi)
    integer, intent(in) :: n
    real(dp), intent(out) :: x(re:im, 0:n-1, 0:n-1), wr(0:n-1), wi(0:n-1)
    integer :: i, j, k
    do k = 0, n - 1
      wr(k) = cos(-2 * pi * k / n)
      RECORD; W(wr, (k))
      wi(k) = sin(-2 * pi * k / n)
      RECORD; W(wi, (k))
    end do
    do i = 0, n - 1
      do j = 0, n - 1
        x(re, j, i) = signal_at(i, j, re)
        RECORD; W(x, (re, j, i))
        x(im, j, i) = signal_at(i, j, im)
        RECORD; W(x, (im, j, i))
      end do
    end do
  end subroutine

  pure integer function reversed(index, n)
    integer, intent(in) :: index, n
    integer :: bit
    reversed = 0
    bit = 1
    do while (bit < n)
      reversed = 2 * reversed + merge(1, 0, iand(index, bit) /= 0)
      bit = bit * 2
    end do
  end function

  !> Line i of `to` is the line across of `from`, reordered and scaled.
  subroutine gather(n, i, factor, from, to)
    integer, intent(in) :: n, i
    real(dp), intent(in) :: factor, from(re:im, 0:n-1, 0:n-1)
    real(dp), intent(inout) :: to(re:im, 0:n-1, 0:n-1)
    integer :: j, k
    do j = 0, n - 1
      k = reversed(j, n)
      to(re, k, i) = from(re, i, j) * factor
      RECORD; R(from, (re, i, j)); W(to, (re, k, i))
      to(im, k, i) = from(im, i, j) * factor
      RECORD; R(from, (im, i, j)); W(to, (im, k, i))
    end do
  end subroutine

  subroutine butterfly(n, i, p, q, a, b, y)
    integer, intent(in) :: n, i, p, q
    real(dp), intent(in) :: a, b
    real(dp), intent(inout) :: y(re:im, 0:n-1, 0:n-1)
    real(dp) :: tr, ti
    tr = a * y(re, q, i) - b * y(im, q, i)
    RECORD; R(y, (re, q, i)); R(y, (im, q, i))
    ti = a * y(im, q, i) + b * y(re, q, i)
    RECORD; R(y, (im, q, i)); R(y, (re, q, i))
    y(re, q, i) = y(re, p, i) - tr
    RECORD; R(y, (re, p, i)); W(y, (re, q, i))
    y(im, q, i) = y(im, p, i) - ti
    RECORD; R(y, (im, p, i)); W(y, (im, q, i))
    y(re, p, i) = y(re, p, i) + tr
    RECORD; R(y, (re, p, i)); W(y, (re, p, i))
    y(im, p, i) = y(im, p, i) + ti
    RECORD; R(y, (im, p, i)); W(y, (im, p, i))
  end subroutine

  subroutine transform_line(n, i, back, y, wr, wi)
    integer, intent(in) :: n, i
    logical, intent(in) :: back
    real(dp), intent(inout) :: y(re:im, 0:n-1, 0:n-1)
    real(dp), intent(in) :: wr(0:n-1), wi(0:n-1)
    real(dp) :: a, b
    integer :: half, k, root, p
    half = 1
    do while (half < n)
      do k = 0, half - 1
        root = k * (n / 2 / half)
        if (back .and. root > 0) root = n - root
        a = wr(root)
        b = wi(root)
        RECORD; R(wr, (root)); R(wi, (root))
        do p = k, n - 1, 2 * half
          call butterfly(n, i, p, p + half, a, b, y)
        end do
      end do
      half = half * 2
    end do
  end subroutine

  subroutine pass(n, back, from, to, wr, wi)
    integer, intent(in) :: n
    logical, intent(in) :: back
    real(dp), intent(inout) :: from(re:im, 0:n-1, 0:n-1), to(re:im, 0:n-1, 0:n-1)
    real(dp), intent(in) :: wr(0:n-1), wi(0:n-1)
    integer :: i
    do i = 0, n - 1
      call gather(n, i, merge(1d0 / n, 1d0, back), from, to)
      call transform_line(n, i, back, to, wr, wi)
    end do
  end subroutine

  !> Compares one coefficient of the transform, by its definition, with x's.
  real(dp) function definition_error(n, x, u, v)
    integer, intent(in) :: n, u, v
    real(dp), intent(in) :: x(re:im, 0:n-1, 0:n-1)
    real(dp) :: a, b, angle
    integer :: i, j
    a = 0
    b = 0
    do i = 0, n - 1
      do j = 0, n - 1
        angle = -2 * pi * mod(u * i + v * j, n) / n
        a = a + signal_at(i, j, re) * cos(angle) - signal_at(i, j, im) * sin(angle)
        b = b + signal_at(i, j, re) * sin(angle) + signal_at(i, j, im) * cos(angle)
      end do
    end do
    definition_error = hypot(x(re, v, u) - a, x(im, v, u) - b) / n
  end function

  real(dp) function way_back_error(n, x)
    integer, intent(in) :: n
    real(dp), intent(in) :: x(re:im, 0:n-1, 0:n-1)
    real(dp) :: off
    integer :: i, j, part
    way_back_error = 0
    do i = 0, n - 1
      do j = 0, n - 1
        do part = re, im
          off = abs(x(part, j, i) - signal_at(i, j, part))
          if (.not. off <= way_back_error) way_back_error = off
        end do
      end do
    end do
  end function
end module

program fft
  use fft_steps
  implicit none
  real(dp), allocatable :: x(:, :, :), y(:, :, :), wr(:), wi(:)
  real(dp) :: checksum, error
  integer :: n, iterations, round
  n = argument(1, 64, 2)
  iterations = argument(2, 1, 1)
  if (iand(n, n - 1) /= 0) then
    write (0, '(a,i0,a)') 'fft: ', n, ' is no power of two'
    stop 2
  end if
  allocate (x(re:im, 0:n-1, 0:n-1), y(re:im, 0:n-1, 0:n-1), wr(0:n-1), wi(0:n-1))
  ARRAY(x)
  ARRAY(y)
  ARRAY(wr)
  ARRAY(wi)
  error = 0
  call begin(n, x, wr, wi)
  do round = 1, iterations
    call pass(n, .false., x, y, wr, wi)
    call pass(n, .false., y, x, wr, wi)
    checksum = sum(abs(x(re, :, :))) + 2 * sum(abs(x(im, :, :)))
    error = max(error, definition_error(n, x, n / 2, 1))
    call pass(n, .true., x, y, wr, wi)
    call pass(n, .true., y, x, wr, wi)
  end do
  call verdict('fft', n, iterations, checksum, max(error, way_back_error(n, x)), 1d-11)
end program
