! SPDX-License-Identifier: MIT
! Annotations for Fortran: a program reports its data and each access to it at source level
! (docs/annotations.md).
!
!     use deja_record
!     real(8) :: a(100, 100)
!     call dj_record_data(a, 'a')
!     a(i, j) = a(i - 1, j) + 1
!     call dj_record_read(a, a(i - 1, j))
!     call dj_record_write(a, a(i, j))
!
! Compile this file and deja_record.c with the program. Arguments may be of any type, kind and rank;
! their address is passed, without a copy.
module deja_record
    use, intrinsic :: iso_c_binding, only: c_char
    implicit none
    private
    public :: dj_record_data, dj_record_partial, dj_record_forget
    public :: dj_record_access, dj_record_read, dj_record_write, dj_record_modify
    public :: dj_record_statement, dj_region_begin, dj_region_end, dj_thread_name

    interface
        ! Declares `base`, a variable, as new data, even if it was recorded before.
        subroutine dj_record_data(base, name) bind(C, name='deja_fortran_data')
            import :: c_char
            type(*), intent(in) :: base(..)
            character(len=*, kind=c_char), intent(in) :: name
        end subroutine
        ! `entry`, within the data that `base` names, may also be used as a base.
        subroutine dj_record_partial(base, entry) bind(C, name='deja_fortran_partial')
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: entry
            type(*), intent(in) :: base(..), entry(*)
        end subroutine
        ! The data is no longer valid; its memory may be reused.
        subroutine dj_record_forget(base) bind(C, name='deja_fortran_forget')
            type(*), intent(in) :: base(..)
        end subroutine
        ! An access to `element` of the data that `base` names.
        subroutine dj_record_access(base, element) bind(C, name='deja_fortran_read')
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: element
            type(*), intent(in) :: base(..), element(*)
        end subroutine
        subroutine dj_record_read(base, element) bind(C, name='deja_fortran_read')
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: element
            type(*), intent(in) :: base(..), element(*)
        end subroutine
        subroutine dj_record_write(base, element) bind(C, name='deja_fortran_write')
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: element
            type(*), intent(in) :: base(..), element(*)
        end subroutine
        subroutine dj_record_modify(base, element) bind(C, name='deja_fortran_modify')
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: element
            type(*), intent(in) :: base(..), element(*)
        end subroutine
        ! An instance of a statement begins (deja run --statements).
        subroutine dj_record_statement() bind(C, name='deja_fortran_statement')
        end subroutine
        ! Delimits a part of the run that `deja run --within NAME` and reports distinguish.
        subroutine dj_region_begin(name) bind(C, name='deja_fortran_region_begin')
            import :: c_char
            character(len=*, kind=c_char), intent(in) :: name
        end subroutine
        subroutine dj_region_end(name) bind(C, name='deja_fortran_region_end')
            import :: c_char
            character(len=*, kind=c_char), intent(in) :: name
        end subroutine
        ! Names the calling thread in reports.
        subroutine dj_thread_name(name) bind(C, name='deja_fortran_thread_name')
            import :: c_char
            character(len=*, kind=c_char), intent(in) :: name
        end subroutine
    end interface
end module
