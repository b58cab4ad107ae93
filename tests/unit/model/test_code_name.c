// SPDX-License-Identifier: MIT
// Short names of C++ and Rust functions. What is left out is stated here, name by name, from the grammar of
// demangled names.
#include "model/code_name.h"
#include "model/short_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void assert_name(const char *full, const char *brief, const char *with_templates)
{
    char *a = dj_code_name(full, DJ_CODE_NAME_SHORT), *b = dj_code_name(full, DJ_CODE_NAME_TEMPLATES);
    assert_string_equal(a, brief);
    assert_string_equal(b, with_templates);
    free(a);
    free(b);
}

static void templates_and_parameters(void **state)
{
    (void)state;
    assert_name("std::map<int, std::string, std::less<int> >::operator[](int const&)",
                "std::map<…>::operator[]", "std::map<int, std::string, std::less<int> >::operator[]");
    assert_name("void sort<int*>(int*, int*)", "sort<…>", "sort<int*>");
    assert_name("std::enable_if<true, int>::type ns::g<int>(int)", "ns::g<…>", "ns::g<int>");
    assert_name("unsigned long count<char>(char const*)", "count<…>", "count<char>");
    assert_name("std::vector<int, A<int> >::vector(unsigned long, int const&)", "std::vector<…>::vector",
                "std::vector<int, A<int> >::vector");
    assert_name("void apply(int (*)(char), void (*)(std::map<int, int>&))", "apply", "apply");
    assert_name("A<(1>2)>::f() const", "A<…>::f", "A<(1>2)>::f");
    assert_name("std::to_string[abi:cxx11](int)", "std::to_string", "std::to_string");
    assert_name("ns::(anonymous namespace)::Box<int>::get() &", "ns::(anonymous namespace)::Box<…>::get",
                "ns::(anonymous namespace)::Box<int>::get");
    assert_name("A::~A()", "A::~A", "A::~A");
}

static void operators(void **state)
{
    (void)state;
    assert_name("bool std::operator< <char>(char const&, char const&)", "std::operator<",
                "std::operator< <char>");
    assert_name("std::ostream& std::operator<< <T<char> >(std::ostream&, char const*)", "std::operator<<",
                "std::operator<< <T<char> >");
    assert_name("A<int>::operator->() const", "A<…>::operator->", "A<int>::operator->");
    assert_name("A::operator()(int) const", "A::operator()", "A::operator()");
    assert_name("A::operator std::vector<int, B<int> >() const", "A::operator std::vector<…>",
                "A::operator std::vector<int, B<int> >");
    assert_name("operator new[](unsigned long, std::align_val_t)", "operator new[]", "operator new[]");
    assert_name("T<X>::operator<=>(T<X> const&) const", "T<…>::operator<=>", "T<X>::operator<=>");
    assert_name("operator\"\" _x(char const*)", "operator\"\" _x", "operator\"\" _x");
}

static void functions_in_functions(void **state)
{
    (void)state;
    assert_name("main::{lambda(int)#1}::operator()(int) const", "main::{lambda#1}::operator()",
                "main::{lambda#1}::operator()");
    assert_name("A::g(int) const::{lambda(V<int> const&)#2}::operator()(V<int> const&) const",
                "A::g::{lambda#2}::operator()", "A::g::{lambda#2}::operator()");
    assert_name("auto f<int>(int)::{lambda(auto:1)#1}::operator()<int>(int) const",
                "f<…>::{lambda#1}::operator()", "f<int>::{lambda#1}::operator()<int>");
}

static void rust(void **state)
{
    (void)state;
    assert_name("<a::Sq as a::Shape>::area", "<a::Sq as a::Shape>::area", "<a::Sq as a::Shape>::area");
    assert_name("<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop",
                "<alloc::vec::Vec<…> as core::ops::drop::Drop>::drop",
                "<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop");
    assert_name("alloc::vec::Vec::<u64>::push", "alloc::vec::Vec<…>::push", "alloc::vec::Vec::<u64>::push");
    assert_name("a::main::{{closure}}", "a::main::{{closure}}", "a::main::{{closure}}");
    assert_name("a::main::{closure#0}", "a::main::{closure#0}", "a::main::{closure#0}");
}

static void others(void **state)
{
    (void)state;
    static const char *const same[] = {"main",
                                       "grid::relax",
                                       "0x1234 in libx.so",
                                       "printf@plt",
                                       "vtable for A<int>",
                                       "void (*f(int))(char)",
                                       "non-virtual thunk to A::f(int)",
                                       "f<",
                                       "f(",
                                       ""};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_name(same[i], same[i], same[i]);
    char *data = dj_code_name("heap std::vector<int, A<int> > (m.cpp:3)", DJ_CODE_NAME_DATA);
    assert_string_equal(data, "heap std::vector<…> (m.cpp:3)");
    free(data);
    data = dj_code_name("grid(3,7)", DJ_CODE_NAME_DATA);
    assert_string_equal(data, "grid(3,7)");
    free(data);
}

enum { A_C, B_C };

// Rows that would look alike, and how they are distinguished.
static void alike(void **state)
{
    (void)state;
    char *files[] = {"/x/a.c", "/x/b.c"};
    dj_module_row modules[] = {{.path = "/bin/prog"}, {.path = "/lib/libx.so"}};
    dj_function_row functions[] = {{"V<int>::push(int)", 0, A_C, 1},
                                   {"V<char>::push(char)", 0, A_C, 2},
                                   {"f(int)", 0, A_C, 3},
                                   {"f(char)", 0, A_C, 4},
                                   {"init", 0, A_C, 5},
                                   {"init", 0, B_C, 6},
                                   {"start", 0, DJ_NOWHERE, 0},
                                   {"start", 1, DJ_NOWHERE, 0},
                                   {"W<int>::pop()", 0, A_C, 7},
                                   {"twin", 0, A_C, 8},
                                   {"twin", 0, A_C, 8}};
    static const char *const wanted[] = {"V<int>::push", "V<char>::push", "f(int)",        "f(char)",
                                         "init (a.c:5)", "init (b.c:6)",  "start in prog", "start in libx.so",
                                         "W<…>::pop",    "twin #1",       "twin #2"};
    dj_object_row objects[] = {{.name = "buffer", .file = A_C, .line = 3},
                               {.name = "buffer", .file = B_C, .line = 4},
                               {.name = "heap a (a.c:9)", .file = A_C, .line = 9}};
    enum { FUNCTIONS = sizeof functions / sizeof *functions };
    char *before[FUNCTIONS];
    for (size_t i = 0; i < FUNCTIONS; i++)
        before[i] = functions[i].name;
    dj_attribution a = {.files = files,
                        .file_count = 2,
                        .modules = modules,
                        .module_count = 2,
                        .functions = functions,
                        .function_count = FUNCTIONS,
                        .objects = objects,
                        .object_count = 3};
    dj_context *context;
    dj_short_names *names;
    assert_int_equal(dj_context_create(&context), DJ_OK);
    assert_int_equal(dj_short_names_begin(context, &a, false, &names), DJ_OK);
    for (size_t i = 0; i < FUNCTIONS; i++)
        assert_string_equal(functions[i].name, wanted[i]);
    assert_string_equal(objects[0].name, "buffer (a.c:3)");
    assert_string_equal(objects[1].name, "buffer (b.c:4)");
    assert_string_equal(objects[2].name, "heap a (a.c:9)");
    dj_short_names_end(names);
    assert_int_equal(dj_short_names_begin(context, &a, true, &names), DJ_OK);
    assert_string_equal(functions[0].name, "V<int>::push(int)");
    assert_string_equal(functions[4].name, "init (a.c:5)");
    dj_short_names_end(names);
    for (size_t i = 0; i < FUNCTIONS; i++)
        assert_ptr_equal(functions[i].name, before[i]);
    dj_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(templates_and_parameters),
                                       cmocka_unit_test(operators),
                                       cmocka_unit_test(functions_in_functions),
                                       cmocka_unit_test(rust),
                                       cmocka_unit_test(others),
                                       cmocka_unit_test(alike)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
