#include "mercer/base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "io/readers_support.h"

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
    EXPECT_EQ(failure([&] { write_atomically(path, "x"); }),
              "i/o error: cannot write '" + path + "': No such file or directory");
    std::filesystem::create_directory(folder.path("sub"));
    EXPECT_EQ(failure([&] { write_atomically(folder.path("sub"), "x"); }),
              "i/o error: cannot write '" + folder.path("sub") + "': Is a directory");
    EXPECT_EQ(failure([] { write_atomically("", "x"); }), "i/o error: cannot write '': the path is empty");
    EXPECT_EQ(folder.files(), 1u);  // no temporary file remains
}

std::string failure_to_write(const std::string& path) {
    return failure([&] { write_atomically(path, "x"); });
}

TEST(write_atomically, writes_through_symbolic_links) {
    const scratch_folder folder;
    const std::string real = folder.write("real", "old");
    std::filesystem::create_directory(folder.path("sub"));
    std::filesystem::create_symlink("real", folder.path("near"));
    std::filesystem::create_symlink("../near", folder.path("sub/far"));  // a link to a link in another folder
    std::filesystem::create_symlink("fresh", folder.path("dangling"));
    write_atomically(folder.path("sub/far"), "new");
    write_atomically(folder.path("dangling"), "made");
    EXPECT_EQ(contents(real), "new");
    EXPECT_EQ(contents(folder.path("fresh")), "made");
    for (const char* link : {"near", "sub/far", "dangling"})
        EXPECT_TRUE(std::filesystem::is_symlink(folder.path(link))) << link;
    std::filesystem::create_symlink("b", folder.path("a"));
    std::filesystem::create_symlink("a", folder.path("b"));
    EXPECT_EQ(failure_to_write(folder.path("a")),
              "i/o error: cannot write '" + folder.path("a") + "': Too many levels of symbolic links");
}

TEST(write_atomically, keeps_hard_links_together) {
    const scratch_folder folder;
    const std::string one = folder.write("one", "a longer old text");
    std::filesystem::create_hard_link(one, folder.path("two"));
    {
        atomic_file file(one);
        file.write("new");
        EXPECT_EQ(contents(one), "a longer old text");  // until commit()
        file.commit();
    }
    EXPECT_EQ(contents(folder.path("two")), "new");
    EXPECT_EQ(std::filesystem::hard_link_count(one), 2u);
    EXPECT_EQ(folder.files(), 2u);
}

TEST(write_atomically, takes_the_longest_name_there_is) {
    const scratch_folder folder;
    const std::string path = folder.path(std::string(255, 'm'));
    write_atomically(path, "a");
    write_atomically(path, "b");
    EXPECT_EQ(contents(path), "b");
    EXPECT_NE(failure_to_write(path + "m").find("File name too long"), std::string::npos);
    EXPECT_EQ(folder.files(), 1u);
}

// Permissions do not restrict root: runs the body as another user in a child process.
template <class Body>
void as_nobody(const scratch_folder& folder, Body body) {
    if (::geteuid() != 0) return body();
    ASSERT_EQ(::chmod(folder.path("").c_str(), 0777), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(2);
        body();
        ::_exit(::testing::Test::HasFailure() ? 1 : 0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

TEST(write_atomically, needs_only_permission_for_the_file_itself) {
    const scratch_folder folder;
    as_nobody(folder, [&] {
        std::filesystem::create_directory(folder.path("shut"));
        folder.write("shut/model", "old");
        folder.write("kept", "old");
        ASSERT_EQ(::chmod(folder.path("shut").c_str(), 0555), 0);
        ASSERT_EQ(::chmod(folder.path("kept").c_str(), 0444), 0);
        write_atomically(folder.path("shut/model"), "new");
        EXPECT_EQ(contents(folder.path("shut/model")), "new");
        const std::string denied = "': Permission denied";
        EXPECT_EQ(failure_to_write(folder.path("shut/other")),
                  "i/o error: cannot write '" + folder.path("shut/other") + denied);
        EXPECT_EQ(failure_to_write(folder.path("kept")), "i/o error: cannot write '" + folder.path("kept") + denied);
        EXPECT_EQ(contents(folder.path("kept")), "old");
        ::chmod(folder.path("shut").c_str(), 0755);
    });
}

TEST(write_atomically, keeps_owner_and_group) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
    const scratch_folder folder;
    const std::string path = folder.write("model", "old");
    ASSERT_EQ(::chown(path.c_str(), 65534, 12345), 0);
    write_atomically(path, "new");
    struct stat about {};
    ASSERT_EQ(::stat(path.c_str(), &about), 0);
    EXPECT_EQ(about.st_uid, 65534u);
    EXPECT_EQ(about.st_gid, 12345u);
    // A file of another user that may be written keeps its owner.
    ASSERT_EQ(::chown(path.c_str(), 0, 0), 0);
    ASSERT_EQ(::chmod(path.c_str(), 0666), 0);
    as_nobody(folder, [&] { write_atomically(path, "newer"); });
    ASSERT_EQ(::stat(path.c_str(), &about), 0);
    EXPECT_EQ(about.st_uid, 0u);
    EXPECT_EQ(about.st_mode & 07777, 0666u);
    EXPECT_EQ(contents(path), "newer");
}

TEST(write_atomically, standard_output_is_written_to_where_it_stands) {
    const scratch_folder folder;
    const std::string path = folder.path("out");
    const pid_t child = ::fork();
    if (child == 0) {
        if (!std::freopen(path.c_str(), "w", stdout)) ::_exit(2);
        std::fputs("before\n", stdout);
        write_atomically("/dev/stdout", "between\n");
        write_atomically("/dev/fd/1", "and\n");
        std::fputs("after\n", stdout);
        std::fflush(stdout);
        ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(contents(path), "before\nbetween\nand\nafter\n");
}

TEST(require_writable, names_the_reason_and_changes_nothing) {
    const scratch_folder folder;
    const std::string old = folder.write("old", "kept");
    require_writable(old);
    require_writable(folder.path("new"));
    require_writable("/dev/null");
    EXPECT_EQ(contents(old), "kept");
    EXPECT_EQ(folder.files(), 1u);
    EXPECT_EQ(failure([&] { require_writable(folder.path("no/model")); }),
              "i/o error: cannot write '" + folder.path("no/model") + "': No such file or directory");
    EXPECT_EQ(failure([&] { require_writable(folder.path("")); }),
              "i/o error: cannot write '" + folder.path("") + "': Is a directory");
}

TEST(is_same_file, compares_files_and_not_names) {
    const scratch_folder folder;
    const std::string one = folder.write("one", "text"), other = folder.write("other", "text");
    std::filesystem::create_directory(folder.path("sub"));
    std::filesystem::create_symlink("one", folder.path("link"));
    std::filesystem::create_symlink("new", folder.path("dangling"));
    std::filesystem::create_symlink("sub", folder.path("way"));
    std::filesystem::create_hard_link(one, folder.path("hard"));
    for (const char* same : {"one", "./one", "sub/../one", "way/../one", "link", "hard"})
        EXPECT_TRUE(is_same_file(one, folder.path(same))) << same;
    EXPECT_FALSE(is_same_file(one, other));
    EXPECT_FALSE(is_same_file(one, folder.path("new")));
    for (const char* same : {"new", "sub/../new", "dangling"})
        EXPECT_TRUE(is_same_file(folder.path("new"), folder.path(same))) << same;
    EXPECT_TRUE(is_same_file(folder.path("sub/x"), folder.path("way/x")));
    EXPECT_FALSE(is_same_file(folder.path("sub/x"), folder.path("x")));
    EXPECT_FALSE(is_same_file(folder.path("new"), folder.path("newer")));
}

TEST(atomic_file, leaves_nothing_when_the_process_is_killed) {
    const scratch_folder folder;
    const std::string path = folder.write("matrix", "old");
    const pid_t child = ::fork();
    if (child == 0) {
        remove_temporaries_on_signals();
        atomic_file file(path);
        file.write("half");
        ::raise(SIGTERM);
        ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    EXPECT_EQ(contents(path), "old");
    EXPECT_EQ(folder.files(), 1u);
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
