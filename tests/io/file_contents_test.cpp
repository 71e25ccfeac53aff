#include "mercer/io/file_contents.h"

#include <gtest/gtest.h>

#include "readers_support.h"

namespace mercer {
namespace {

using namespace testing_support;

const std::string two_parts = "1 1:0.5 3:2\n-1 2:4\n1 1:8\n";

TEST(source, plain_file_is_read_as_it_is) {
    const scratch_folder folder;
    const std::string bytes("a\0b\r\n\xff", 6);
    const file_contents file = read_file(folder.write("plain", bytes));
    EXPECT_EQ(file.bytes(), bytes);
    EXPECT_EQ(file.name(), folder.path("plain"));
}

TEST(source, empty_file_is_empty) {
    const scratch_folder folder;
    EXPECT_EQ(read_file(folder.write("empty", "")).bytes(), "");
}

TEST(source, large_file_is_the_same_mapped_and_survives_the_name) {
    const scratch_folder folder;
    std::string bytes(3 << 20, 'x');
    for (std::size_t k = 0; k < bytes.size(); k += 997) bytes[k] = static_cast<char>('a' + k % 26);
    const file_contents file = read_file(folder.write("large", bytes));
    std::filesystem::remove(folder.path("large"));
    EXPECT_TRUE(file.bytes() == bytes);
}

TEST(source, missing_file_and_directory_are_named) {
    const scratch_folder folder;
    EXPECT_EQ(failure([&] { read_file(folder.path("no")); }),
              "i/o error: cannot read '" + folder.path("no") + "': No such file or directory");
    EXPECT_EQ(failure([&] { read_file(folder.path("")); }),
              "i/o error: cannot read '" + folder.path("") + "': Is a directory");
}

#ifdef MERCER_HAVE_ZLIB
TEST(source, gzip_with_two_members_is_known_by_its_bytes) {
    const scratch_folder folder;
    const std::string packed = contents(test_file("two_members.svm.gz"));
    EXPECT_EQ(read_file(test_file("two_members.svm.gz")).bytes(), two_parts);
    EXPECT_EQ(read_file(folder.write("no_extension", packed)).bytes(), two_parts);
    EXPECT_EQ(read_file(folder.write("padded", packed + std::string(512, '\0'))).bytes(), two_parts);
}

TEST(source, gzip_cut_anywhere_is_an_error_or_a_whole_member) {
    const std::string packed = contents(test_file("two_members.svm.gz"));
    const std::string first = "1 1:0.5 3:2\n-1 2:4\n";
    int whole = 0;
    for (std::size_t size = 2; size < packed.size(); ++size) {
        std::string got;
        const std::string message =
            failure([&] { got = unpack("x.gz", std::string_view(packed).substr(0, size)).bytes(); });
        if (message == "no error") {
            EXPECT_EQ(got, first) << size;
            ++whole;
        } else if (message.find("truncated") != std::string::npos) {
            EXPECT_EQ(message, "parse error: x.gz: truncated gzip archive: it ends at byte " + std::to_string(size) +
                                   " inside a member");
        } else {
            EXPECT_NE(message.find("expected another gzip member or the end of the file"), std::string::npos)
                << message;  // one byte of the second magic
        }
    }
    EXPECT_EQ(whole, 1);
}

TEST(source, what_unpacks_to_more_than_may_be_taken_is_refused) {
    for (const char* file : {"two_members.svm.gz", "two_streams.svm.xz"}) {
        EXPECT_EQ(read_file(test_file(file), two_parts.size()).bytes(), two_parts);
        const std::string message = failure([&] { read_file(test_file(file), two_parts.size() - 1); });
        EXPECT_NE(message.find("memory budget"), std::string::npos) << message;
        EXPECT_NE(message.find("unpacked, the file exceeds the memory limit of"), std::string::npos) << message;
    }
}

TEST(source, gzip_with_a_changed_byte_or_garbage_after_it_is_refused) {
    std::string packed = contents(test_file("two_members.svm.gz"));
    EXPECT_NE(failure([&] { unpack("x.gz", packed + "garbage"); }).find("x.gz: byte 65: expected another gzip member"),
              std::string::npos);
    packed[packed.size() - 8] ^= 1;  // the checksum
    EXPECT_NE(failure([&] { unpack("x.gz", packed); }).find("bad gzip data: incorrect data check"), std::string::npos);
}
#endif

#ifdef MERCER_HAVE_LZMA
TEST(source, xz_with_two_streams_is_known_by_its_bytes) {
    const scratch_folder folder;
    EXPECT_EQ(read_file(test_file("two_streams.svm.xz")).bytes(), two_parts);
    EXPECT_EQ(read_file(folder.write("no_extension", contents(test_file("two_streams.svm.xz")))).bytes(), two_parts);
}

TEST(source, xz_truncated_or_changed_is_refused) {
    std::string packed = contents(test_file("two_streams.svm.xz"));
    EXPECT_EQ(failure([&] { unpack("x.xz", std::string_view(packed).substr(0, 100)); }),
              "parse error: x.xz: truncated xz archive: it ends at byte 100 inside a stream");
    EXPECT_EQ(failure([&] { unpack("x.xz", std::string_view(packed).substr(0, 6)); }),
              "parse error: x.xz: truncated xz archive: it ends at byte 6 inside a stream");
    packed[30] ^= 1;
    EXPECT_NE(failure([&] { unpack("x.xz", packed); }).find("bad xz data: the data are corrupt"), std::string::npos);
}
#endif

}  // namespace
}  // namespace mercer
