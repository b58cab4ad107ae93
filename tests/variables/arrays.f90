! SPDX-License-Identifier: MIT
! Module arrays, COMMON, derived types, local and allocatable arrays of Fortran.
module grid_mod
  implicit none
  type :: inner
    real(8) :: w(3)
    integer :: tag
  end type
  type :: particle
    real(8) :: v(2)
    type(inner) :: in(0:2)
    real(4), allocatable :: dyn(:)
  end type
  real(8) :: grid(0:9, -2:5)
  real(4) :: cube(2, 3, 4)
  type(particle) :: p(2:6)
  real(8), allocatable :: heap(:, :)
  real(8), allocatable :: flat(:)
  integer :: scalar
  integer(1) :: many(200)
  character(len=8) :: names(4)
  complex(8) :: z(3)
contains
  subroutine work(n)
    integer, intent(in) :: n
    real(8) :: big(100, 200)
    real(8), pointer :: ptr(:)
    character(len=40) :: e
    integer :: i
    do i = 1, n
      big(i, 2 * i) = i
      write (e, '("(",i0,",",i0,")")') i, 2 * i
      call fact_global(big(i, 2 * i), 8, 'big', e)
    end do
    call fact_whole(big, 160000, 'big', 'real(kind=8) (100,200)')
    allocate (ptr(n))
    call fact_asked(8, 8, 'ptr', '[1]')
    call fill(ptr)
    print '("note",f8.1)', sum(big) + sum(ptr)
  end subroutine
  subroutine fill(q)
    real(8), pointer, intent(inout) :: q(:)
    q = 1
    if (q(1) > 2) q => null()
  end subroutine
end module

program main
  use grid_mod
  implicit none
  real(8) :: x, y(4, 5), u(3), v
  integer :: k, i, j, m
  common /blk/ x, y, k
  common u, v
  character(len=40) :: e
  call fact_module
  do j = -2, 5
    do i = 0, 9
      write (e, '("(",i0,",",i0,")")') i, j
      call fact_global(grid(i, j), 8, 'grid_mod::grid', e)
    end do
  end do
  do m = 1, 4
    do j = 1, 3
      do i = 1, 2
        write (e, '("(",i0,",",i0,",",i0,")")') i, j, m
        call fact_global(cube(i, j, m), 4, 'grid_mod::cube', e)
      end do
    end do
  end do
  do i = 2, 6
    do j = 1, 2
      write (e, '("(",i0,")%v(",i0,")")') i, j
      call fact_global(p(i)%v(j), 8, 'grid_mod::p', e)
    end do
    do j = 0, 2
      do m = 1, 3
        write (e, '("(",i0,")%in(",i0,")%w(",i0,")")') i, j, m
        call fact_global(p(i)%in(j)%w(m), 8, 'grid_mod::p', e)
      end do
      write (e, '("(",i0,")%in(",i0,")%tag")') i, j
      call fact_global(p(i)%in(j)%tag, 4, 'grid_mod::p', e)
    end do
  end do
  do i = 1, 200
    write (e, '("(",i0,")")') i
    call fact_global(many(i), 1, 'grid_mod::many', e)
  end do
  call fact_global(scalar, 4, 'grid_mod::scalar', '')
  call fact_text(names(3), 8, 'grid_mod::names', '(3)')
  call fact_global(z(2), 16, 'grid_mod::z', '(2)')
  call fact_whole(grid, 640, 'grid_mod::grid', 'real(kind=8) (0:9,-2:5)')
  do j = 1, 5
    do i = 1, 4
      write (e, '("(",i0,",",i0,")")') i, j
      call fact_global(y(i, j), 8, '/blk/ y', e)
    end do
  end do
  call fact_global(x, 8, '/blk/ x', '')
  call fact_global(k, 4, '/blk/ k', '')
  call fact_global(u(2), 8, '// u', '(2)')
  call fact_global(v, 8, '// v', '')
  allocate (heap(10, 20))
  call fact_asked(16, 8, 'grid_mod::heap', '[2]')
  allocate (flat(10))
  call fact_asked(24, 8, 'grid_mod::flat', '[3]')
  heap = 1
  flat = 2
  call work(40)
  print '("note",f8.1)', sum(heap) + sum(flat)
end program
