! SPDX-License-Identifier: MIT
! Shallow water on a periodic n × n grid; the same as swim.c.
#include "annotate.fh"
module swim_steps
  use common
  implicit none
  real(dp), parameter :: dx = 1d5, dy = 1d5, time_step = 20, filter = 0.001d0
contains

  !> Copies the row and the column that a staggered array lacks from the opposite side.
  subroutine wrap(n, array, down, right)
    integer, intent(in) :: n, down, right
    real(dp), intent(inout) :: array(0:n, 0:n)
    integer :: i, j, row, column
    row = merge(0, n, down == 1)
    column = merge(0, n, right == 1)
    do j = right, n + right - 1
      array(j, row) = array(j, n-row)
      RECORD; R(array, (j, n-row)); W(array, (j, row))
    end do
    do i = down, n + down - 1
      array(column, i) = array(n-column, i)
      RECORD; R(array, (n-column, i)); W(array, (column, i))
    end do
    array(column, row) = array(n-column, n-row)
    RECORD; R(array, (n-column, n-row)); W(array, (column, row))
  end subroutine

  subroutine begin(n, psi, u, v, p)
    integer, intent(in) :: n
    real(dp), intent(inout), dimension(0:n, 0:n) :: psi, u, v, p
    real(dp), parameter :: high = 50000, hill = 500
    real(dp) :: turn, swing
    integer :: i, j
    turn = 2 * pi / n
    swing = 50 * dx / turn
    do i = 0, n
      do j = 0, n
        psi(j, i) = swing * sin((i + 0.5d0) * turn) * sin((j + 0.5d0) * turn)
        RECORD; W(psi, (j, i))
        p(j, i) = high + hill * (cos(2 * i * turn) + cos(2 * j * turn))
        RECORD; W(p, (j, i))
      end do
    end do
    do i = 0, n - 1
      do j = 0, n - 1
        u(j, i+1) = -(psi(j+1, i+1) - psi(j, i+1)) / dy
        RECORD; R(psi, (j+1, i+1)); R(psi, (j, i+1)); W(u, (j, i+1))
        v(j+1, i) = (psi(j+1, i+1) - psi(j+1, i)) / dx
        RECORD; R(psi, (j+1, i+1)); R(psi, (j+1, i)); W(v, (j+1, i))
      end do
    end do
    call wrap(n, u, 1, 0)
    call wrap(n, v, 0, 1)
  end subroutine

  subroutine copy(n, from, to)
    integer, intent(in) :: n
    real(dp), intent(inout), dimension(0:n, 0:n) :: from, to
    integer :: i, j
    do i = 0, n
      do j = 0, n
        to(j, i) = from(j, i)
        RECORD; R(from, (j, i)); W(to, (j, i))
      end do
    end do
  end subroutine

  !> Mass fluxes cu and cv, potential vorticity z, and height with kinetic energy h.
  subroutine fluxes(n, u, v, p, cu, cv, z, h)
    integer, intent(in) :: n
    real(dp), intent(inout), dimension(0:n, 0:n) :: u, v, p, cu, cv, z, h
    real(dp), parameter :: fx = 4 / dx, fy = 4 / dy
    integer :: i, j
    do i = 0, n - 1
      do j = 0, n - 1
        cu(j, i+1) = 0.5d0 * (p(j, i+1) + p(j, i)) * u(j, i+1)
        RECORD; R(p, (j, i+1)); R(p, (j, i)); R(u, (j, i+1)); W(cu, (j, i+1))
        cv(j+1, i) = 0.5d0 * (p(j+1, i) + p(j, i)) * v(j+1, i)
        RECORD; R(p, (j+1, i)); R(p, (j, i)); R(v, (j+1, i)); W(cv, (j+1, i))
        z(j+1, i+1) = (fx * (v(j+1, i+1) - v(j+1, i)) - fy * (u(j+1, i+1) - u(j, i+1))) / &
          (p(j, i) + p(j, i+1) + p(j+1, i+1) + p(j+1, i))
        RECORD; R(v, (j+1, i+1)); R(v, (j+1, i)); R(u, (j+1, i+1)); R(u, (j, i+1)); R(p, (j, i))
        R(p, (j, i+1)); R(p, (j+1, i+1)); R(p, (j+1, i)); W(z, (j+1, i+1))
        h(j, i) = p(j, i) + 0.25d0 * (u(j, i+1) * u(j, i+1) + u(j, i) * u(j, i) + v(j+1, i) * v(j+1, i) + &
          v(j, i) * v(j, i))
        RECORD; R(p, (j, i)); R(u, (j, i+1)); R(u, (j, i+1)); R(u, (j, i)); R(u, (j, i)); R(v, (j+1, i))
        R(v, (j+1, i)); R(v, (j, i)); R(v, (j, i)); W(h, (j, i))
      end do
    end do
    call wrap(n, cu, 1, 0)
    call wrap(n, cv, 0, 1)
    call wrap(n, z, 1, 1)
    call wrap(n, h, 0, 0)
  end subroutine

  !> New velocities and heights from the fluxes and the previous step.
  subroutine advance(n, step, uold, vold, pold, cu, cv, z, h, unew, vnew, pnew)
    integer, intent(in) :: n
    real(dp), intent(in) :: step
    real(dp), intent(inout), dimension(0:n, 0:n) :: uold, vold, pold, cu, cv, z, h, unew, vnew, pnew
    real(dp) :: s8, sx, sy
    integer :: i, j
    s8 = step / 8
    sx = step / dx
    sy = step / dy
    do i = 0, n - 1
      do j = 0, n - 1
        unew(j, i+1) = uold(j, i+1) + s8 * (z(j+1, i+1) + z(j, i+1)) * &
          (cv(j+1, i+1) + cv(j+1, i) + cv(j, i) + cv(j, i+1)) - sx * (h(j, i+1) - h(j, i))
        RECORD; R(uold, (j, i+1)); R(z, (j+1, i+1)); R(z, (j, i+1)); R(cv, (j+1, i+1)); R(cv, (j+1, i))
        R(cv, (j, i)); R(cv, (j, i+1)); R(h, (j, i+1)); R(h, (j, i)); W(unew, (j, i+1))
        vnew(j+1, i) = vold(j+1, i) - s8 * (z(j+1, i+1) + z(j+1, i)) * &
          (cu(j+1, i+1) + cu(j+1, i) + cu(j, i) + cu(j, i+1)) - sy * (h(j+1, i) - h(j, i))
        RECORD; R(vold, (j+1, i)); R(z, (j+1, i+1)); R(z, (j+1, i)); R(cu, (j+1, i+1)); R(cu, (j+1, i))
        R(cu, (j, i)); R(cu, (j, i+1)); R(h, (j+1, i)); R(h, (j, i)); W(vnew, (j+1, i))
        pnew(j, i) = pold(j, i) - sx * (cu(j, i+1) - cu(j, i)) - sy * (cv(j+1, i) - cv(j, i))
        RECORD; R(pold, (j, i)); R(cu, (j, i+1)); R(cu, (j, i)); R(cv, (j+1, i)); R(cv, (j, i)); W(pnew, (j, i))
      end do
    end do
    call wrap(n, unew, 1, 0)
    call wrap(n, vnew, 0, 1)
    call wrap(n, pnew, 0, 0)
  end subroutine

  subroutine smooth(n, old, now, new, j, i)
    integer, intent(in) :: n, j, i
    real(dp), intent(inout), dimension(0:n, 0:n) :: old, now, new
    old(j, i) = now(j, i) + filter * (new(j, i) - 2 * now(j, i) + old(j, i))
    RECORD; R(now, (j, i)); R(new, (j, i)); R(now, (j, i)); R(old, (j, i)); W(old, (j, i))
    now(j, i) = new(j, i)
    RECORD; R(new, (j, i)); W(now, (j, i))
  end subroutine

  real(dp) function energy_of(n, u, v, p)
    integer, intent(in) :: n
    real(dp), intent(in), dimension(0:n, 0:n) :: u, v, p
    integer :: i, j
    energy_of = 0
    do i = 0, n - 1
      do j = 0, n - 1
        energy_of = energy_of + 0.25d0 * p(j, i) * (2 * p(j, i) + u(j, i+1)**2 + u(j, i)**2 + v(j+1, i)**2 + v(j, i)**2)
      end do
    end do
  end function
end module

program swim
  use swim_steps
  implicit none
  real(dp), allocatable, dimension(:, :) :: u, v, p, unew, vnew, pnew, uold, vold, pold, cu, cv, z, h, psi
  real(dp) :: mass, energy, error
  integer :: n, iterations, round, i, j
  n = argument(1, 256, 2)
  iterations = argument(2, 2, 1)
  allocate (u(0:n, 0:n), v(0:n, 0:n), p(0:n, 0:n), unew(0:n, 0:n), vnew(0:n, 0:n), pnew(0:n, 0:n), uold(0:n, 0:n))
  allocate (vold(0:n, 0:n), pold(0:n, 0:n), cu(0:n, 0:n), cv(0:n, 0:n), z(0:n, 0:n), h(0:n, 0:n), psi(0:n, 0:n))
  ARRAY(u); ARRAY(v); ARRAY(p); ARRAY(unew); ARRAY(vnew); ARRAY(pnew); ARRAY(uold)
  ARRAY(vold); ARRAY(pold); ARRAY(cu); ARRAY(cv); ARRAY(z); ARRAY(h); ARRAY(psi)
  call begin(n, psi, u, v, p)
  call copy(n, u, uold)
  call copy(n, v, vold)
  call copy(n, p, pold)
  mass = sum(p(0:n-1, 0:n-1))
  energy = energy_of(n, u, v, p)
  do round = 1, iterations
    call fluxes(n, u, v, p, cu, cv, z, h)
    call advance(n, merge(time_step, 2 * time_step, round == 1), uold, vold, pold, cu, cv, z, h, unew, vnew, pnew)
    do i = 0, n
      do j = 0, n
        call smooth(n, uold, u, unew, j, i)
        call smooth(n, vold, v, vnew, j, i)
        call smooth(n, pold, p, pnew, j, i)
      end do
    end do
  end do
  ! The scheme conserves the mass up to rounding, and the energy up to the error of a step.
  error = abs(sum(p(0:n-1, 0:n-1)) / mass - 1) + 1d-7 * abs(energy_of(n, u, v, p) / energy - 1)
  call verdict('swim', n, iterations, energy_of(n, u, v, p), error, 1d-11)
end program
