#include "mercer/io/npy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "contracts/property.h"
#include "readers_support.h"

namespace mercer {
namespace {

using namespace testing_support;
using matrix_rows = std::vector<std::vector<double>>;

// A file with this header text and these data bytes.
std::string npy(const std::string& header, std::string_view data, char version = 1) {
    std::string out("\x93NUMPY", 6);
    out += {version, '\0', static_cast<char>(header.size()), static_cast<char>(header.size() >> 8)};
    if (version > 1) out += std::string(2, '\0');
    return out + header + std::string(data);
}

std::string npy_fault(const std::string& bytes, precision numbers = precision::natural) {
    return failure([&] { parse_npy(bytes, "f", numbers); });
}

template <class T>
std::string bytes_of(std::vector<T> values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

const matrix_rows written_by_numpy{{1.5, -2.25, 3e-300}, {4, 5e10, 0.1}};

TEST(npy, files_of_numpy_in_either_order_and_every_version) {
    for (const char* file : {"c_f8.npy", "fortran_f8.npy", "version2.npy", "version3.npy"})
        EXPECT_EQ(rows<double>(read_npy(test_file(file)).x), written_by_numpy) << file;
}

TEST(npy, other_number_types_of_numpy) {
    EXPECT_EQ(rows<float>(read_npy(test_file("c_f4.npy")).x),
              (std::vector<std::vector<float>>{{1.5f, -2.25f}, {0.1f, 7}}));
    EXPECT_EQ(rows<double>(read_npy(test_file("c_f4.npy"), precision::f64).x)[1][0], static_cast<double>(0.1f));
    EXPECT_EQ(rows<double>(read_npy(test_file("one_dim_i4.npy")).x), (matrix_rows{{3}, {-1}, {2147483647}}));
    EXPECT_EQ(rows<float>(read_npy(test_file("one_dim_i4.npy"), precision::f32).x),
              (std::vector<std::vector<float>>{{3}, {-1}, {2147483648.0f}}));
    EXPECT_EQ(rows<double>(read_npy(test_file("bool.npy")).x), (matrix_rows{{1, 0}, {0, 1}}));
    EXPECT_EQ(rows<double>(read_npy(test_file("u8.npy")).x), (matrix_rows{{0, 18446744073709551616.0}}));
    EXPECT_EQ(rows<double>(read_npy(test_file("i1_fortran.npy")).x), (matrix_rows{{-128, 127, 0}, {1, 2, 3}}));
}

TEST(npy, what_is_not_supported_is_said) {
    EXPECT_EQ(npy_fault(contents(test_file("big_endian.npy"))),
              "unsupported: f: numbers of type '>f8' are big-endian, which is not supported");
    EXPECT_EQ(npy_fault(contents(test_file("three_dims.npy"))),
              "unsupported: f: expected an array of 1 or 2 dimensions, got 3; for images name the file as images:FILE");
    EXPECT_EQ(npy_fault(npy("{'descr': '<f8', 'fortran_order': False, 'shape': ()}", bytes_of<double>({1}))),
              "unsupported: f: expected an array of 1 or 2 dimensions, got 0");
    EXPECT_EQ(npy_fault(npy("{'descr': '<c16', 'fortran_order': False, 'shape': (1,)}", std::string(16, '\0'))),
              "unsupported: f: numbers must have type f4, f8, i1 ... i8, u1 ... u8 or bool, got '<c16'");
    EXPECT_EQ(npy_fault(npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}", "")),
              "parse error: f: byte 20: bad .npy header: expected a plain number type (records are not supported), got "
              "'[('a', '<f8')], 'for'");
    EXPECT_EQ(npy_fault(npy("{}", "", 4)), "unsupported: f: byte 6: .npy versions 1 to 3 are supported, got 4");
}

TEST(npy, sizes_are_checked_before_anything_is_allocated) {
    const std::string head = "{'descr': '<f8', 'fortran_order': False, 'shape': ";
    EXPECT_EQ(npy_fault(npy(head + "(2, 2)}", bytes_of<double>({1, 2, 3}))),
              "parse error: f: the header announces 2 x 2 numbers of 8 bytes, but 24 bytes follow it");
    EXPECT_EQ(npy_fault(npy(head + "(1, 2)}", bytes_of<double>({1, 2, 3}))),
              "parse error: f: the header announces 1 x 2 numbers of 8 bytes, but 24 bytes follow it");
    EXPECT_EQ(npy_fault(npy(head + "(1, 3)}", bytes_of<double>({1, 2, 3}) + "x")),
              "parse error: f: the header announces 1 x 3 numbers of 8 bytes, but 25 bytes follow it");
    // 2^33 * 2^31 * 8 = 2^67 wraps to 0
    EXPECT_EQ(npy_fault(npy(head + "(8589934592, 2147483648)}", "")),
              "parse error: f: the header announces 8589934592 x 2147483648 numbers of 8 bytes, but 0 bytes follow it");
    EXPECT_EQ(npy_fault(npy(head + "(1, 99999999999999999999)}", "")),
              "parse error: f: byte 64: bad .npy header: expected a size below 2^64, got '99999999999999999999'");
    EXPECT_EQ(npy_fault(npy(head + "(0, 3)}", "")), "bad data: f: expected at least one row and one column, got 0 x 3");
    EXPECT_EQ(npy_fault(npy(head + "(-1, 3)}", "")),
              "parse error: f: byte 61: bad .npy header: expected a size below 2^64, got '-1, 3)}'");
}

TEST(npy, cut_files_are_refused) {
    const std::string whole = contents(test_file("c_f8.npy"));
    for (std::size_t size = 0; size < whole.size(); ++size)
        EXPECT_TRUE(npy_fault(whole.substr(0, size)).starts_with("parse error: f: ")) << size;
    EXPECT_EQ(npy_fault("hello"), "parse error: f: byte 0: expected the first bytes of an .npy file, got 'hello'");
    EXPECT_EQ(npy_fault(whole.substr(0, 9)),
              "parse error: f: truncated .npy file: it ends at byte 9 inside the header");
    EXPECT_EQ(npy_fault(whole.substr(0, 50)),
              "parse error: f: truncated .npy file: the header has 118 bytes, but the file ends after 40 of them");
}

TEST(npy, headers_are_read_strictly) {
    EXPECT_EQ(npy_fault(npy("{'descr': '<f8'}", "")),
              "parse error: f: byte 26: bad .npy header: expected the keys 'descr', 'fortran_order' and 'shape', got "
              "its end");
    EXPECT_EQ(npy_fault(npy("{'a': 1}", "")),
              "parse error: f: byte 15: bad .npy header: expected each of the keys 'descr', 'fortran_order' and "
              "'shape' once, got ' 1}'");
    EXPECT_EQ(npy_fault(npy("{'fortran_order': maybe}", "")),
              "parse error: f: byte 28: bad .npy header: expected True or False, got 'maybe}'");
    EXPECT_EQ(npy_fault(npy("", "")), "parse error: f: byte 10: bad .npy header: expected '{', got its end");
    EXPECT_EQ(
        rows<double>(
            parse_npy(npy("{\"shape\":(1,),\"fortran_order\":False,\"descr\":\"<f8\"}", bytes_of<double>({7})), "f").x),
        (matrix_rows{{7}}));
}

TEST(npy, numbers_that_are_not_finite_are_refused) {
    const std::string head = "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2)}";
    EXPECT_EQ(npy_fault(npy(head, bytes_of<double>({1, 2, NAN, 4}))),
              "bad data: f: row 1, column 2: expected a finite number, got nan");
    EXPECT_EQ(npy_fault(npy(head, bytes_of<double>({1, -INFINITY, 3, 4}))),
              "bad data: f: row 2, column 1: expected a finite number, got -inf");
    EXPECT_EQ(npy_fault(npy(head, bytes_of<double>({1, 2, 3, 1e300})), precision::f32),
              "bad data: f: row 2, column 2: expected a finite number, got 1e+300");
}

TEST(npy, written_files_are_what_numpy_writes) {
    const scratch_folder folder;
    matrix<double> m(2, 3);
    for (index i = 0; i < 2; ++i)
        for (index j = 0; j < 3; ++j)
            m(i, j) = written_by_numpy[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
    write_npy(folder.path("x.npy"), dense<double>(std::move(m)));
    EXPECT_EQ(contents(folder.path("x.npy")), contents(test_file("c_f8.npy")));
    matrix<float> f(2, 2);
    f(0, 0) = 1.5f, f(0, 1) = -2.25f, f(1, 0) = 0.1f, f(1, 1) = 7;
    EXPECT_EQ(format_npy(dense<float>(std::move(f))), contents(test_file("c_f4.npy")));
}

TEST(npy, rows_of_a_view_with_gaps_are_packed) {
    const std::vector<double> memory{1, 2, -1, 3, 4, -1};
    EXPECT_EQ(
        rows<double>(parse_npy(format_npy(dense<double>(matrix_view<const double>(memory.data(), 2, 2, 3))), "f").x),
        (matrix_rows{{1, 2}, {3, 4}}));
}

TEST(npy, what_is_written_is_read) {
    EXPECT_TRUE(arbitrary::holds("a random matrix survives bit by bit", [] {
        const int n = arbitrary::integer(1, 8);
        const int d = arbitrary::integer(1, 8);
        matrix<double> m(n, d);
        for (int k = 0; k < n * d; ++k) m.data()[k] = arbitrary::real();
        const matrix<double> copy = m;
        const table t = parse_npy(format_npy(dense<double>(std::move(m))), "f");
        MUST_HOLD(t.x.size() == n && t.x.dims() == d);
        MUST_HOLD(std::memcmp(t.x.as<dense<double>>()->row(0), copy.data(),
                              static_cast<std::size_t>(n * d) * sizeof(double)) == 0);
    }));
}

}  // namespace
}  // namespace mercer
