! SPDX-License-Identifier: MIT
! Particle transport on n × n × n cells; the same as sweep.c.
#include "annotate.fh"
module sweep_steps
  use common
  implicit none
  integer, parameter :: moments = 4, angles = 6, octants = 8
  real(dp), parameter :: ahead = 0.75d0, width = 0.1d0, total = 1, scattered = 0.5d0, scattered_forward = 0.1d0, &
                         emitted = 1

  type :: direction
    real(dp) :: weight, x, y, z ! cosines, of the first octant
  end type

  integer :: n
  real(dp), allocatable :: flux(:, :, :, :), src(:, :, :, :), sigt(:, :, :), fx(:, :, :), fy(:, :, :), fz(:, :, :)
contains

  !> The level-symmetric set of order six.
  subroutine directions(set)
    type(direction), intent(out) :: set(angles)
    real(dp), parameter :: cosine(3) = [0.2666355d0, 0.6815076d0, 0.9261808d0], weight(2) = [0.1761263d0, 0.1572071d0]
    integer, parameter :: level(4, angles) = reshape([1, 1, 3, 1, 1, 3, 1, 1, 3, 1, 1, 1, &
                                                      1, 2, 2, 2, 2, 1, 2, 2, 2, 2, 1, 2], [4, angles])
    real(dp) :: whole
    integer :: a
    whole = octants * 3 * (weight(1) + weight(2))
    do a = 1, angles
      set(a) = direction(weight(level(4, a)) / whole, cosine(level(1, a)), cosine(level(2, a)), cosine(level(3, a)))
    end do
  end subroutine

  subroutine begin
    integer :: i, j, k, m
    do i = 0, n - 1
      do j = 0, n - 1
        do k = 0, n - 1
          sigt(k, j, i) = total + 0.1d0 * mod(i + j + k, 3)
          RECORD; W(sigt, (k, j, i))
          do m = 1, moments
            flux(k, j, i, m) = 0
            RECORD; W(flux, (k, j, i, m))
          end do
        end do
      end do
    end do
  end subroutine

  pure logical function inner(i)
    integer, intent(in) :: i
    inner = 4 * i >= n .and. 4 * i < 3 * n
  end function

  !> Emission, stronger in the inner half, and scattering.
  subroutine sources
    integer :: i, j, k, m
    do i = 0, n - 1
      do j = 0, n - 1
        do k = 0, n - 1
          src(k, j, i, 1) = merge(emitted, 0.5d0 * emitted, inner(i) .and. inner(j) .and. inner(k)) + &
            scattered * flux(k, j, i, 1)
          RECORD; R(flux, (k, j, i, 1)); W(src, (k, j, i, 1))
          do m = 2, moments
            src(k, j, i, m) = scattered_forward * flux(k, j, i, m)
            RECORD; R(flux, (k, j, i, m)); W(src, (k, j, i, m))
          end do
          do m = 1, moments
            flux(k, j, i, m) = 0
            RECORD; W(flux, (k, j, i, m))
          end do
        end do
      end do
    end do
  end subroutine

  !> No particles enter from outside.
  subroutine empty_faces
    integer :: a, i, j
    do a = 1, angles
      do i = 0, n - 1
        do j = 0, n - 1
          fx(j, i, a) = 0
          RECORD; W(fx, (j, i, a))
          fy(j, i, a) = 0
          RECORD; W(fy, (j, i, a))
          fz(j, i, a) = 0
          RECORD; W(fz, (j, i, a))
        end do
      end do
    end do
  end subroutine

  !> The leakage at the far sides of an octant.
  real(dp) function leakage(set)
    type(direction), intent(in) :: set(angles)
    integer :: a, i, j
    leakage = 0
    do a = 1, angles
      do i = 0, n - 1
        do j = 0, n - 1
          leakage = leakage + set(a)%weight * &
            (set(a)%x * fx(j, i, a) + set(a)%y * fy(j, i, a) + set(a)%z * fz(j, i, a)) / width
          RECORD; R(fx, (j, i, a)); R(fy, (j, i, a)); R(fz, (j, i, a))
        end do
      end do
    end do
  end function

  !> The line (j, k) of cells along x in direction d, whose cosines have their
  !> signs. Counts the negative fluxes.
  subroutine sweep_line(a, j, k, d, negative)
    integer, intent(in) :: a, j, k
    type(direction), intent(in) :: d
    integer, intent(inout) :: negative
    real(dp) :: x, y, z, s, psi, least
    integer :: l, i
    x = abs(d%x) / (width * ahead)
    y = abs(d%y) / (width * ahead)
    z = abs(d%z) / (width * ahead)
    do l = 0, n - 1
      i = merge(l, n - 1 - l, d%x > 0)
      s = src(k, j, i, 1) + d%x * src(k, j, i, 2) + d%y * src(k, j, i, 3) + d%z * src(k, j, i, 4)
      RECORD; R(src, (k, j, i, 1)); R(src, (k, j, i, 2)); R(src, (k, j, i, 3)); R(src, (k, j, i, 4))
      psi = (s + x * fx(k, j, a) + y * fy(k, i, a) + z * fz(j, i, a)) / (sigt(k, j, i) + x + y + z)
      RECORD; R(fx, (k, j, a)); R(fy, (k, i, a)); R(fz, (j, i, a)); R(sigt, (k, j, i))
      fx(k, j, a) = (psi - (1 - ahead) * fx(k, j, a)) / ahead
      RECORD; R(fx, (k, j, a)); W(fx, (k, j, a))
      fy(k, i, a) = (psi - (1 - ahead) * fy(k, i, a)) / ahead
      RECORD; R(fy, (k, i, a)); W(fy, (k, i, a))
      fz(j, i, a) = (psi - (1 - ahead) * fz(j, i, a)) / ahead
      RECORD; R(fz, (j, i, a)); W(fz, (j, i, a))
      least = min(fx(k, j, a), fy(k, i, a), fz(j, i, a))
      RECORD; R(fx, (k, j, a)); R(fy, (k, i, a)); R(fz, (j, i, a))
      if (least < 0 .or. psi < 0) negative = negative + 1
      flux(k, j, i, 1) = flux(k, j, i, 1) + d%weight * psi
      RECORD; R(flux, (k, j, i, 1)); W(flux, (k, j, i, 1))
      flux(k, j, i, 2) = flux(k, j, i, 2) + d%weight * d%x * psi
      RECORD; R(flux, (k, j, i, 2)); W(flux, (k, j, i, 2))
      flux(k, j, i, 3) = flux(k, j, i, 3) + d%weight * d%y * psi
      RECORD; R(flux, (k, j, i, 3)); W(flux, (k, j, i, 3))
      flux(k, j, i, 4) = flux(k, j, i, 4) + d%weight * d%z * psi
      RECORD; R(flux, (k, j, i, 4)); W(flux, (k, j, i, 4))
    end do
  end subroutine

  subroutine sweep_octant(octant, set, negative)
    integer, intent(in) :: octant
    type(direction), intent(in) :: set(angles)
    integer, intent(inout) :: negative
    type(direction) :: d
    integer :: diagonal, a, step, other
    logical :: back(0:2)
    back = [btest(octant, 0), btest(octant, 1), btest(octant, 2)]
    do diagonal = 0, 2 * n + angles - 3
      do a = 1, angles
        do step = 0, n - 1
          other = diagonal - (a - 1) - step
          if (other < 0 .or. other >= n) cycle
          d = direction(set(a)%weight, merge(-1, 1, back(0)) * set(a)%x, merge(-1, 1, back(1)) * set(a)%y, &
            merge(-1, 1, back(2)) * set(a)%z)
          call sweep_line(a, merge(n - 1 - other, other, back(1)), merge(n - 1 - step, step, back(2)), d, negative)
        end do
      end do
    end do
  end subroutine

  !> In each sweep, absorption and leakage add up to the emission.
  subroutine balance(leaked, checksum, error)
    real(dp), intent(in) :: leaked
    real(dp), intent(out) :: checksum, error
    integer :: i, j, k
    checksum = 0
    do i = 0, n - 1
      do j = 0, n - 1
        do k = 0, n - 1
          checksum = checksum + flux(k, j, i, 1) + i * flux(k, j, i, 2) + j * flux(k, j, i, 3) + k * flux(k, j, i, 4)
        end do
      end do
    end do
    error = abs((leaked + sum(sigt * flux(:, :, :, 1))) / sum(src(:, :, :, 1)) - 1)
  end subroutine
end module

program sweep
  use sweep_steps
  implicit none
  type(direction) :: set(angles)
  real(dp) :: leaked, checksum, error
  integer :: iterations, round, octant, negative
  n = argument(1, 10, 1)
  iterations = argument(2, 2, 1)
  allocate (flux(0:n-1, 0:n-1, 0:n-1, moments), src(0:n-1, 0:n-1, 0:n-1, moments), sigt(0:n-1, 0:n-1, 0:n-1))
  allocate (fx(0:n-1, 0:n-1, angles), fy(0:n-1, 0:n-1, angles), fz(0:n-1, 0:n-1, angles))
  ARRAY(flux)
  ARRAY(src)
  ARRAY(sigt)
  ARRAY(fx)
  ARRAY(fy)
  ARRAY(fz)
  negative = 0
  call directions(set)
  call begin
  do round = 1, iterations
    call sources
    leaked = 0
    do octant = 0, octants - 1
      call empty_faces
      call sweep_octant(octant, set, negative)
      leaked = leaked + leakage(set)
    end do
  end do
  call balance(leaked, checksum, error)
  if (negative > 0) error = huge(error)
  call verdict('sweep', n, iterations, checksum, error, 1d-12)
end program
