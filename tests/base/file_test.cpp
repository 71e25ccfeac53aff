#include "mercer/base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "../data/readers_support.h"

namespace mercer {
namespace {

using namespace testing_support;

TEST(write_atomically, creates_and_replaces_and_leaves_nothing_else) {
    const scratch_folder folder;
    const std::string path = folder.path("model");
    write_atomically(path, std::string("a\0b", 3));
    EXPECT_EQ(contents(path), std::string("a\0b", 3));
    write_atomically(path, "");
    EXPECT_EQ(contents(path), "");
    EXPECT_EQ(folder.files(), 1u);
}

TEST(write_atomically, keeps_the_permissions_of_a_replaced_file) {
    const scratch_folder folder;
    const std::string path = folder.write("model", "old");
    ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
    write_atomically(path, "new");
    struct stat about {};
    ASSERT_EQ(::stat(path.c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 07777, 0640u);
    EXPECT_EQ(contents(path), "new");
}

TEST(write_atomically, writes_straight_to_what_is_no_file) {
    EXPECT_EQ(failure([] { write_atomically("/dev/null", "x"); }), "no error");
}

TEST(write_atomically, names_path_and_reason) {
    const scratch_folder folder;
    const std::string path = folder.path("no/model");
    EXPECT_EQ(failure([&] { write_atomically(path, "x"); }), "i/o error: cannot write '" + path + "': No such file or directory");
    std::filesystem::create_directory(folder.path("sub"));
    EXPECT_EQ(failure([&] { write_atomically(folder.path("sub"), "x"); }), "i/o error: cannot write '" + folder.path("sub") + "': Is a directory");
    EXPECT_EQ(failure([] { write_atomically("", "x"); }), "i/o error: cannot write '': the path is empty");
    EXPECT_EQ(folder.files(), 1u);  // no temporary file is left
}

TEST(atomic_file, appears_when_it_is_whole) {
    const scratch_folder folder;
    const std::string path = folder.write("matrix", "old");
    {
        atomic_file file(path);
        file.write("given ");
        file.write("up");
    }
    EXPECT_EQ(contents(path), "old");
    EXPECT_EQ(folder.files(), 1u);
    atomic_file file(path);
    file.write("a");
    file.write("b");
    EXPECT_EQ(contents(path), "old");
    file.commit();
    EXPECT_EQ(contents(path), "ab");
    EXPECT_EQ(folder.files(), 1u);
}

}  // namespace
}  // namespace mercer
