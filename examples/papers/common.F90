! SPDX-License-Identifier: MIT
! Shared by the Fortran programs of this folder: kinds, arguments, the line
! that the programs print.
module common
#ifndef DEJA_RECORD_OFF
  use deja_record
#endif
  implicit none
  integer, parameter :: dp = kind(1d0)
  real(dp), parameter :: pi = acos(-1d0)
contains

  !> The number in argument `position`, or `otherwise` if there is none.
  integer function argument(position, otherwise, least)
    integer, intent(in) :: position, otherwise, least
    character(len=20) :: text
    integer :: status
    argument = otherwise
    if (command_argument_count() >= position) then
      call get_command_argument(position, text)
      read (text, *, iostat=status) argument
      if (status /= 0) argument = least - 1
    end if
    if (argument < least) then
      write (0, '(a,i0,a)') 'usage: PROGRAM [SIZE [ITERATIONS]], ', least, ' at least'
      stop 2
    end if
  end function

  subroutine verdict(name, n, iterations, checksum, error, bound)
    character(len=*), intent(in) :: name
    integer, intent(in) :: n, iterations
    real(dp), intent(in) :: checksum, error, bound
    character(len=6) :: word
    word = merge('passed', 'FAILED', error <= bound) ! FAILED for a NaN
    print '(a,1x,i0,1x,i0,a,es18.12,a,es7.1,a,es7.1,a,a)', name, n, iterations, ': checksum ', checksum, &
      ', error ', error, ' of at most ', bound, ': ', word
    if (.not. error <= bound) stop 1
  end subroutine
end module
