// Files that are truncated while they are mapped or read.
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "mercer/io/file_contents.h"
#include "mercer/io/read.h"
#include "readers_support.h"

namespace mercer {
namespace {

using namespace testing_support;

const char* const told = "the file was truncated while it was read";

TEST(cut_file, of_numbers_is_an_error_and_not_zeros) {
    const scratch_folder folder;
    matrix<double> numbers(5000000, 2);  // 80 MB: the file is mapped
    for (index i = 0; i < numbers.rows(); ++i) numbers(i, 0) = static_cast<double>(i);
    const std::string path = folder.path("rows.npy");
    write_npy(path, dense<double>(std::move(numbers)));
    const file_contents file = read_file(path);
    ASSERT_EQ(::truncate(path.c_str(), 100000), 0);
    EXPECT_NE(failure([&] { parse_table(file); }).find(told), std::string::npos);
}

TEST(cut_file, by_a_few_bytes_is_an_error_too) {
    const scratch_folder folder;
    matrix<double> numbers(5000000, 2);
    const std::string path = folder.path("rows.npy");
    write_npy(path, dense<double>(std::move(numbers)));
    const file_contents file = read_file(path);
    const std::size_t size = file.bytes().size();
    ASSERT_EQ(::truncate(path.c_str(), static_cast<off_t>(size - 1)), 0);
    EXPECT_NE(failure([&] { parse_table(file); }).find(told), std::string::npos);
}

TEST(cut_file, that_is_read_in_pieces_is_an_error_and_not_its_end) {
    const scratch_folder folder;
    const std::string path = folder.write("rows.csv", "a,b\n" + std::string(1 << 20, '1'));
    byte_stream stream(path);
    std::string text;
    EXPECT_TRUE(stream.read(text, 1000));
    ASSERT_EQ(::truncate(path.c_str(), 600000), 0);
    EXPECT_NE(failure([&] {
                  while (stream.read(text, 100000)) {
                  }
              }).find(told),
              std::string::npos);
}

TEST(cut_file, that_only_grows_is_read_to_where_it_ended) {
    const scratch_folder folder;
    matrix<double> numbers(5000000, 2);
    const std::string path = folder.path("rows.npy");
    write_npy(path, dense<double>(std::move(numbers)));
    const file_contents file = read_file(path);
    ASSERT_EQ(::truncate(path.c_str(), static_cast<off_t>(file.bytes().size() + 5000)), 0);
    EXPECT_EQ(parse_table(file).x.size(), 5000000);
}

}  // namespace
}  // namespace mercer
