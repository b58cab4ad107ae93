! SPDX-License-Identifier: MIT
! A solver in the style of NASA's SP; the same as sp.c.
#include "annotate.fh"
module sp_steps
  use common
  implicit none
  integer, parameter :: fields = 5, bands = 5, systems = 3, directions = 3
  integer, parameter :: first_field(systems + 1) = [1, 4, 5, 6]
  ! Time step divided by twice the grid spacing, divided by its square, and the
  ! weight of the fourth differences.
  real(dp), parameter :: advect = 0.05d0, diffuse = 0.04d0, damp = 0.01d0, gamma_1 = 0.4d0

  integer :: n, points, stride(directions)
  real(dp), allocatable, dimension(:, :) :: u, rhs, forcing, lhs
  real(dp), allocatable, target, dimension(:) :: us, vs, ws
  real(dp), allocatable, dimension(:) :: qs, rho_i, speed, square ! of each point
  real(dp), allocatable, dimension(:) :: cv, rhon, rhos, rhoq ! of each point of a line
contains

  function velocity(d) result(v)
    integer, intent(in) :: d
    real(dp), pointer, contiguous :: v(:)
    select case (d)
    case (1)
      v(0:) => us
    case (2)
      v(0:) => vs
    case default
      v(0:) => ws
    end select
  end function

  real(dp) function steady(m, c)
    integer, intent(in) :: m, c
    real(dp), parameter :: base(fields) = [1d0, 0.2d0, 0.1d0, 0.15d0, 2d0]
    real(dp) :: x, y, z
    x = real(c / n / n, dp) / (n - 1)
    y = real(mod(c / n, n), dp) / (n - 1)
    z = real(mod(c, n), dp) / (n - 1)
    steady = base(m) * (1 + 0.1d0 * sin(x + 0.5d0 * (m - 1)) + 0.1d0 * x * y + 0.05d0 * z * z)
  end function

  subroutine begin
    integer :: c, m
    do c = 0, points - 1
      do m = 1, fields
        u(m, c) = steady(m, c)
        RECORD; W(u, (m, c))
        forcing(m, c) = 0
        RECORD; W(forcing, (m, c))
      end do
    end do
  end subroutine

  subroutine derive
    integer :: c, m
    do c = 0, points - 1
      rho_i(c) = 1 / u(1, c)
      RECORD; R(u, (1, c)); W(rho_i, (c))
      us(c) = u(2, c) * rho_i(c)
      RECORD; R(u, (2, c)); R(rho_i, (c)); W(us, (c))
      vs(c) = u(3, c) * rho_i(c)
      RECORD; R(u, (3, c)); R(rho_i, (c)); W(vs, (c))
      ws(c) = u(4, c) * rho_i(c)
      RECORD; R(u, (4, c)); R(rho_i, (c)); W(ws, (c))
      square(c) = 0.5d0 * (u(2, c) * u(2, c) + u(3, c) * u(3, c) + u(4, c) * u(4, c)) * rho_i(c)
      RECORD; R(u, (2, c)); R(u, (2, c)); R(u, (3, c)); R(u, (3, c)); R(u, (4, c)); R(u, (4, c)); R(rho_i, (c))
      W(square, (c))
      qs(c) = square(c) * rho_i(c)
      RECORD; R(square, (c)); R(rho_i, (c)); W(qs, (c))
      speed(c) = sqrt(1.4d0 * gamma_1 * rho_i(c) * (u(5, c) - square(c)))
      RECORD; R(rho_i, (c)); R(u, (5, c)); R(square, (c)); W(speed, (c))
      do m = 1, fields
        rhs(m, c) = forcing(m, c)
        RECORD; R(forcing, (m, c)); W(rhs, (m, c))
      end do
    end do
  end subroutine

  !> The flow to point c in direction d.
  subroutine flow(c, d)
    integer, intent(in) :: c, d
    real(dp), pointer, contiguous :: v(:), w(:)
    integer :: e, f, m, along
    e = c + stride(d)
    f = c - stride(d)
    along = d + 1
    v => velocity(d)
    rhs(1, c) = rhs(1, c) - advect * (u(along, e) - u(along, f)) + diffuse * (u(1, e) - 2 * u(1, c) + u(1, f))
    RECORD; R(rhs, (1, c)); R(u, (along, e)); R(u, (along, f)); R(u, (1, e)); R(u, (1, c)); R(u, (1, f)); W(rhs, (1, c))
    do m = 2, 1 + directions
      w => velocity(m - 1)
      rhs(m, c) = rhs(m, c) - advect * (u(m, e) * v(e) - u(m, f) * v(f)) + diffuse * (u(m, e) - 2 * u(m, c) + u(m, f))
      RECORD; R(rhs, (m, c)); R(u, (m, e)); R(v, (e)); R(u, (m, f)); R(v, (f)); R(u, (m, e)); R(u, (m, c))
      R(u, (m, f)); W(rhs, (m, c))
      rhs(m, c) = rhs(m, c) + 0.1d0 * diffuse * (w(e) - 2 * w(c) + w(f))
      RECORD; R(rhs, (m, c)); R(w, (e)); R(w, (c)); R(w, (f)); W(rhs, (m, c))
    end do
    rhs(along, c) = rhs(along, c) - advect * gamma_1 * (u(5, e) - square(e) - u(5, f) + square(f))
    RECORD; R(rhs, (along, c)); R(u, (5, e)); R(square, (e)); R(u, (5, f)); R(square, (f)); W(rhs, (along, c))
    rhs(5, c) = rhs(5, c) - advect * ((1.4d0 * u(5, e) - gamma_1 * square(e)) * v(e) - &
      (1.4d0 * u(5, f) - gamma_1 * square(f)) * v(f)) + diffuse * (u(5, e) - 2 * u(5, c) + u(5, f))
    RECORD; R(rhs, (5, c)); R(u, (5, e)); R(square, (e)); R(v, (e)); R(u, (5, f)); R(square, (f)); R(v, (f))
    R(u, (5, e)); R(u, (5, c)); R(u, (5, f)); W(rhs, (5, c))
    rhs(5, c) = rhs(5, c) + 0.1d0 * diffuse * (qs(e) - 2 * qs(c) + qs(f)) + &
      0.1d0 * diffuse * (u(5, e) * rho_i(e) - 2 * u(5, c) * rho_i(c) + u(5, f) * rho_i(f))
    RECORD; R(rhs, (5, c)); R(qs, (e)); R(qs, (c)); R(qs, (f)); R(u, (5, e)); R(rho_i, (e)); R(u, (5, c))
    R(rho_i, (c)); R(u, (5, f)); R(rho_i, (f)); W(rhs, (5, c))
  end subroutine

  !> Fourth differences, where there are two points on either side.
  subroutine dissipate(c, s)
    integer, intent(in) :: c, s
    integer :: m
    do m = 1, fields
      rhs(m, c) = rhs(m, c) - damp * (u(m, c-2*s) - 4 * u(m, c-s) + 6 * u(m, c) - 4 * u(m, c+s) + u(m, c+2*s))
      RECORD; R(rhs, (m, c)); R(u, (m, c-2*s)); R(u, (m, c-s)); R(u, (m, c)); R(u, (m, c+s)); R(u, (m, c+2*s))
      W(rhs, (m, c))
    end do
  end subroutine

  subroutine right_sides
    integer :: d, i, j, k, c, place(directions)
    call derive
    do d = 1, directions
      do i = 1, n - 2
        do j = 1, n - 2
          do k = 1, n - 2
            c = (i * n + j) * n + k
            place = [i, j, k]
            call flow(c, d)
            if (place(d) > 1 .and. place(d) < n - 2) call dissipate(c, stride(d))
          end do
        end do
      end do
    end do
  end subroutine

  !> Sets the steady state to one, then disturbs the inner points.
  subroutine disturb
    integer :: i, j, k, m, c
    do i = 1, n - 2
      do j = 1, n - 2
        do k = 1, n - 2
          do m = 1, fields
            c = (i * n + j) * n + k
            forcing(m, c) = -rhs(m, c)
            RECORD; R(rhs, (m, c)); W(forcing, (m, c))
            u(m, c) = u(m, c) * (1 + merge(0.02d0, -0.02d0, mod(i + j + k, 2) == 0))
            RECORD; R(u, (m, c)); W(u, (m, c))
          end do
        end do
      end do
    end do
  end subroutine

  !> The ends of a line do not change.
  subroutine end_row(c)
    integer, intent(in) :: c
    integer :: b
    do b = 1, systems * bands
      lhs(b, c) = merge(1, 0, mod(b, bands) == 3)
      RECORD; W(lhs, (b, c))
    end do
  end subroutine

  !> Row l of the line: the first system, then those of the forward and backward waves.
  subroutine inner_row(c, s, l)
    integer, intent(in) :: c, s, l
    real(dp) :: wave
    integer :: system, b
    lhs(1, c) = damp
    RECORD; W(lhs, (1, c))
    lhs(2, c) = -advect * cv(l-1) - rhon(l-1) - 4 * damp
    RECORD; R(cv, (l-1)); R(rhon, (l-1)); W(lhs, (2, c))
    lhs(3, c) = 1 + rhos(l) + rhoq(l) + 6 * damp
    RECORD; R(rhos, (l)); R(rhoq, (l)); W(lhs, (3, c))
    lhs(4, c) = advect * cv(l+1) - rhon(l+1) - 4 * damp
    RECORD; R(cv, (l+1)); R(rhon, (l+1)); W(lhs, (4, c))
    lhs(5, c) = damp
    RECORD; W(lhs, (5, c))
    do system = 2, systems
      b = (system - 1) * bands
      wave = merge(advect, -advect, system == 2)
      lhs(b+1, c) = lhs(1, c)
      RECORD; R(lhs, (1, c)); W(lhs, (b+1, c))
      lhs(b+2, c) = lhs(2, c) - wave * speed(c-s)
      RECORD; R(lhs, (2, c)); R(speed, (c-s)); W(lhs, (b+2, c))
      lhs(b+3, c) = lhs(3, c)
      RECORD; R(lhs, (3, c)); W(lhs, (b+3, c))
      lhs(b+4, c) = lhs(4, c) + wave * speed(c+s)
      RECORD; R(lhs, (4, c)); R(speed, (c+s)); W(lhs, (b+4, c))
      lhs(b+5, c) = lhs(5, c)
      RECORD; R(lhs, (5, c)); W(lhs, (b+5, c))
    end do
  end subroutine

  subroutine left_sides(start, d)
    integer, intent(in) :: start, d
    real(dp), pointer, contiguous :: v(:)
    integer :: l, c
    v => velocity(d)
    do l = 0, n - 1
      c = start + l * stride(d)
      cv(l) = v(c)
      RECORD; R(v, (c)); W(cv, (l))
      rhon(l) = diffuse * (1 + 0.1d0 * rho_i(c))
      RECORD; R(rho_i, (c)); W(rhon, (l))
      rhos(l) = rhon(l)
      RECORD; R(rhon, (l)); W(rhos, (l))
      rhoq(l) = rhon(l)
      RECORD; R(rhon, (l)); W(rhoq, (l))
    end do
    call end_row(start)
    do l = 1, n - 2
      call inner_row(start + l * stride(d), stride(d), l)
    end do
    call end_row(start + (n - 1) * stride(d))
  end subroutine

  !> Subtracts row c from row k, where it is band `b` of the system.
  subroutine take_off(c, k, b, system)
    integer, intent(in) :: c, k, b, system
    integer :: m, base
    base = (system - 1) * bands
    lhs(base+b+1, k) = lhs(base+b+1, k) - lhs(base+b, k) * lhs(base+4, c)
    RECORD; R(lhs, (base+b+1, k)); R(lhs, (base+b, k)); R(lhs, (base+4, c)); W(lhs, (base+b+1, k))
    lhs(base+b+2, k) = lhs(base+b+2, k) - lhs(base+b, k) * lhs(base+5, c)
    RECORD; R(lhs, (base+b+2, k)); R(lhs, (base+b, k)); R(lhs, (base+5, c)); W(lhs, (base+b+2, k))
    do m = first_field(system), first_field(system + 1) - 1
      rhs(m, k) = rhs(m, k) - lhs(base+b, k) * rhs(m, c)
      RECORD; R(rhs, (m, k)); R(lhs, (base+b, k)); R(rhs, (m, c)); W(rhs, (m, k))
    end do
  end subroutine

  subroutine eliminate(start, s, system)
    integer, intent(in) :: start, s, system
    real(dp) :: factor
    integer :: l, c, b, m, base
    base = (system - 1) * bands
    do l = 0, n - 1
      c = start + l * s
      factor = 1 / lhs(base+3, c)
      RECORD; R(lhs, (base+3, c))
      do b = base + 4, base + 5
        lhs(b, c) = lhs(b, c) * factor
        RECORD; R(lhs, (b, c)); W(lhs, (b, c))
      end do
      do m = first_field(system), first_field(system + 1) - 1
        rhs(m, c) = rhs(m, c) * factor
        RECORD; R(rhs, (m, c)); W(rhs, (m, c))
      end do
      if (l + 1 < n) call take_off(c, c + s, 2, system)
      if (l + 2 < n) call take_off(c, c + 2 * s, 1, system)
    end do
  end subroutine

  subroutine substitute(start, s, system)
    integer, intent(in) :: start, s, system
    integer :: c, m, base, last
    base = (system - 1) * bands
    last = start + (n - 2) * s
    do m = first_field(system), first_field(system + 1) - 1
      rhs(m, last) = rhs(m, last) - lhs(base+4, last) * rhs(m, last+s)
      RECORD; R(rhs, (m, last)); R(lhs, (base+4, last)); R(rhs, (m, last+s)); W(rhs, (m, last))
    end do
    do c = last - s, start, -s
      do m = first_field(system), first_field(system + 1) - 1
        rhs(m, c) = rhs(m, c) - lhs(base+4, c) * rhs(m, c+s) - lhs(base+5, c) * rhs(m, c+2*s)
        RECORD; R(rhs, (m, c)); R(lhs, (base+4, c)); R(rhs, (m, c+s)); R(lhs, (base+5, c)); R(rhs, (m, c+2*s))
        W(rhs, (m, c))
      end do
    end do
  end subroutine

  !> Each stage processes all lines of the direction before the next stage begins.
  subroutine solve(d)
    integer, intent(in) :: d
    integer :: stage, i, j, start, p, q
    p = stride(merge(2, 1, d == 1))
    q = stride(merge(2, 3, d == 3))
    do stage = 0, 2 * systems
      do i = 1, n - 2
        do j = 1, n - 2
          start = i * p + j * q
          if (stage == 0) then
            call left_sides(start, d)
          else if (stage <= systems) then
            call eliminate(start, stride(d), stage)
          else
            call substitute(start, stride(d), stage - systems)
          end if
        end do
      end do
    end do
  end subroutine

  subroutine add
    integer :: i, j, k, m, c
    do i = 1, n - 2
      do j = 1, n - 2
        do k = 1, n - 2
          do m = 1, fields
            c = (i * n + j) * n + k
            u(m, c) = u(m, c) + rhs(m, c)
            RECORD; R(u, (m, c)); R(rhs, (m, c)); W(u, (m, c))
          end do
        end do
      end do
    end do
  end subroutine

  !> The distance of u from the steady state.
  subroutine compare(distance, checksum)
    real(dp), intent(out) :: distance, checksum
    integer :: c, m
    distance = 0
    checksum = 0
    do c = 0, points - 1
      do m = 1, fields
        distance = distance + (u(m, c) - steady(m, c))**2
        checksum = checksum + m * u(m, c)
      end do
    end do
    distance = sqrt(distance)
  end subroutine
end module

program sp
  use sp_steps
  implicit none
  real(dp) :: before, after, checksum
  integer :: iterations, round, d, top
  n = argument(1, 18, 5)
  iterations = argument(2, 1, 1)
  points = n**3
  top = points - 1
  stride = [n * n, n, 1]
  allocate (u(fields, 0:top), rhs(fields, 0:top), forcing(fields, 0:top), lhs(systems * bands, 0:top))
  allocate (us(0:top), vs(0:top), ws(0:top), qs(0:top), rho_i(0:top), speed(0:top), square(0:top))
  allocate (cv(0:n-1), rhon(0:n-1), rhos(0:n-1), rhoq(0:n-1))
  ARRAY(u); ARRAY(rhs); ARRAY(forcing); ARRAY(lhs)
  ARRAY(us); ARRAY(vs); ARRAY(ws); ARRAY(qs); ARRAY(rho_i); ARRAY(speed); ARRAY(square)
  ARRAY(cv); ARRAY(rhon); ARRAY(rhos); ARRAY(rhoq)
  call begin
  call right_sides
  call disturb
  call compare(before, checksum)
  do round = 1, iterations
    call right_sides
    do d = 1, directions
      call solve(d)
    end do
    call add
  end do
  call compare(after, checksum)
  call verdict('sp', n, iterations, checksum, after / before, 0.9d0)
end program
