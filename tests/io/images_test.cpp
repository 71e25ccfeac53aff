// Images from files, folders, lists and arrays. tests/io/files/images/make.py makes the files.
#include "mercer/data/images.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "contracts/errors.h"
#include "mercer/base/threads.h"
#include "mercer/io/image_files.h"
#include "mercer/io/read.h"
#include "readers_support.h"

namespace mercer {
namespace {

using testing::expect_error;
using testing_support::contents;
using testing_support::scratch_folder;
using testing_support::test_file;

std::string bytes_of(const std::string& name) { return contents(test_file("images/" + name)); }
image decoded(const std::string& name) { return decode_image(bytes_of(name), name); }
float known(index r, index c, index k) { return static_cast<float>((37 * r + 59 * c + 101 * k) % 256) / 255; }

template <class Value>
void expect_image(const image& got, index height, index width, index channels, Value value, float within = 0) {
    ASSERT_EQ(got.height, height);
    ASSERT_EQ(got.width, width);
    ASSERT_EQ(got.channels, channels);
    for (index r = 0; r < height; ++r)
        for (index c = 0; c < width; ++c)
            for (index k = 0; k < channels; ++k)
                EXPECT_NEAR(got.at(r, c)[k], value(r, c, k), within) << r << " " << c << " " << k;
}

#ifdef MERCER_HAVE_PNG
TEST(images_png, of_every_kind) {
    expect_image(decoded("grey.png"), 5, 7, 1, known);
    expect_image(decoded("colour.png"), 5, 7, 3, known);
    expect_image(decoded("interlaced.png"), 9, 10, 3, known);
    expect_image(decoded("grey_opacity.png"), 5, 7, 2, known);
    expect_image(decoded("colour_opacity.png"), 5, 7, 4, known);
    expect_image(decoded("bits.png"), 5, 7, 1,
                 [](index r, index c, index) { return (37 * r + 59 * c) % 256 > 127 ? 1.0F : 0.0F; });
    const float palette[3][3] = {{1, 0, 0}, {0, 128.0F / 255, 0}, {0, 0, 0.2F}};
    expect_image(decoded("palette.png"), 3, 4, 3, [&](index r, index c, index k) { return palette[(r + c) % 3][k]; });
}

TEST(images_png, sixteen_bits_are_kept) {
    const auto wide = [](index r, index c, index k) {
        return static_cast<float>(std::min<index>(65535, (37 * r + 59 * c + 101 * k) % 256 * 257 + r)) / 65535;
    };
    expect_image(decoded("grey16.png"), 5, 7, 1, wide);
    expect_image(decoded("colour16.png"), 4, 3, 3, wide);
}

TEST(images_png, damage_is_found) {
    const std::string whole = bytes_of("colour.png");
    for (std::size_t length = 8; length + 12 < whole.size(); ++length)
        expect_error(errc::parse, "bad PNG image, at or before byte",
                     [&] { decode_image(std::string_view(whole).substr(0, length), "cut.png"); });
    for (std::size_t at = 16; at < whole.size(); ++at) {
        std::string changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ 0x20);
        EXPECT_THROW(decode_image(changed, "changed.png"), error) << at << ": every byte is under a checksum";
    }
}

TEST(images_png, sizes_are_checked_before_anything_is_allocated) {
    expect_error(errc::unsupported,
                 "big.png: images must have at most 65535 pixels a side and 20 pixels in all, got 5 x 7",
                 [] { decode_image(bytes_of("grey.png"), "big.png", 20); });
    EXPECT_EQ(decode_image(bytes_of("grey.png"), "big.png", 35).pixels(), 35);
}
#else
TEST(images_png, says_what_is_missing) {
    expect_error(errc::unsupported, "install libpng (Debian package libpng-dev)", [] { decoded("grey.png"); });
}
#endif

#ifdef MERCER_HAVE_JPEG
float smooth(index r, index c, index k) { return static_cast<float>(8 * r + 6 * c + 30 * k) / 255; }

TEST(images_jpeg, grey_colour_and_progressive) {
    expect_image(decoded("grey.jpg"), 13, 17, 1, smooth, 0.02F);
    expect_image(decoded("colour.jpg"), 13, 17, 3, smooth, 0.03F);
    expect_image(decoded("progressive.jpg"), 13, 17, 3, smooth, 0.03F);
}

TEST(images_jpeg, damage_is_found) {
    expect_error(errc::unsupported, "cmyk.jpg: JPEG images must be grey or colour, got an image of 4 components",
                 [] { decoded("cmyk.jpg"); });
    for (const char* name : {"grey.jpg", "progressive.jpg"}) {
        const std::string whole = bytes_of(name);
        for (std::size_t length = 3; length + 2 < whole.size(); length += 7)
            expect_error(errc::parse, "cut.jpg: bad JPEG image: ", [&] {
                decode_image(std::string_view(whole).substr(0, length), "cut.jpg");
            });
    }
    expect_error(errc::unsupported, "got 13 x 17", [] { decode_image(bytes_of("grey.jpg"), "big.jpg", 100); });
}
#else
TEST(images_jpeg, says_what_is_missing) {
    expect_error(errc::unsupported, "install libjpeg (Debian package libjpeg-dev)", [] { decoded("grey.jpg"); });
}
#endif

TEST(images_netpbm, text_and_binary) {
    const auto values = [](std::string_view bytes) { return decode_image(bytes, "f").values; };
    const image grey = decode_image("P2\n# a comment\n3 2#another\n4\n0 1 2\n3 4 0", "f");
    EXPECT_EQ(grey.height, 2);
    EXPECT_EQ(grey.width, 3);
    EXPECT_EQ(grey.channels, 1);
    EXPECT_EQ(grey.values, (std::vector<float>{0, 0.25F, 0.5F, 0.75F, 1, 0}));
    EXPECT_EQ(values("P3 1 1 2 0 1 2"), (std::vector<float>{0, 0.5F, 1}));
    EXPECT_EQ(values(std::string_view("P5 2 1 255\n\x00\xff", 13)), (std::vector<float>{0, 1}));
    EXPECT_EQ(values(std::string_view("P6 1 1 51 \x00\x33\x33", 13)), (std::vector<float>{0, 1, 1}));
    EXPECT_EQ(values(std::string_view("P5 2 1 1000\n\x03\xe8\x01\xf4", 16)), (std::vector<float>{1, 0.5F}));
}

TEST(images_netpbm, says_where_a_file_is_wrong) {
    const auto wrong = [](std::string_view bytes, const char* message, errc code = errc::parse) {
        expect_error(code, message, [&] { decode_image(bytes, "f.pgm"); });
    };
    wrong("P2 two 2 1 0", "f.pgm: byte 3: expected the width, a number up to 65535");
    wrong("P2 2", "byte 4: expected the height");
    wrong("P2 2 2 0 0 0 0 0", "expected a largest value from 1 to 65535");
    wrong("P2 2 2 70000 0 0 0 0", "expected the largest value, a number up to 65535");
    wrong("P2 2 2 9 0 0 0", "truncated: 4 values are needed from byte 8 on, but the file ends at 14");
    wrong("P2 2 2 9 0 0 0 10", "byte 15: expected a value, a number up to 9");
    wrong("P2 2 2 9 0 0 0 x", "expected a value");
    wrong("P5 2 2 9", "expected one blank before the values");
    wrong("P5 2 2 9 abc", "truncated");
    wrong("P5 1 1 9 x", "byte 9: expected a pixel value of at most 9, got 120");
    wrong("P5 0 2 9 ", "an image of 2 x 0 pixels");
    wrong("P5 60000 60000 255 ", "got 60000 x 60000", errc::unsupported);
    wrong("P5 60000 1000 255 ", "truncated: 60000000 values");
    wrong("P2 #", "expected the width");
    wrong("", "expected a PNG, JPEG, PGM or PPM image, got an empty file");
    wrong("GIF89a", "f.pgm: byte 0: expected a PNG, JPEG, PGM or PPM image, got 'GIF89a'");
}

// A folder with two classes of images and other files.
struct some_images {
    scratch_folder folder;
    some_images() {
        for (const char* each : {"cats", "dogs", "empty", ".hidden"})
            std::filesystem::create_directory(folder.path(each));
        folder.write("cats/b.pgm", "P2 1 1 2 1");
        folder.write("cats/a.PGM", "P2 2 1 2 0 2");
        folder.write("cats/notes.txt", "not an image");
        folder.write("dogs/c.ppm", "P3 1 1 1 1 0 1");
        folder.write("dogs/.a.pgm", "not seen");
        folder.write(".hidden/d.pgm", "not seen");
        folder.write("README.md", "what this is");
    }
    std::string path() const { return folder.path(""); }
};

TEST(image_folder, has_a_folder_for_each_class) {
    const some_images some;
    const table read = read_table(some.path());
    const auto& x = *read.x.as<images>();
    ASSERT_EQ(x.size(), 3);
    EXPECT_EQ(x[0].values, (std::vector<float>{0, 1})) << "a.PGM before b.pgm";
    EXPECT_EQ(x[2].channels, 3);
    EXPECT_EQ(read.y, (std::vector<double>{0, 0, 1}));
    EXPECT_EQ(read.class_names, (std::vector<std::string>{"cats", "dogs"}));
    const tsv_options known{.classes = {"dogs", "cats"}};
    EXPECT_EQ(read_image_folder(some.path(), known).y, (std::vector<double>{1, 1, 0}));
    expect_error(errc::data, "expected one of the 1 known classes, got 'dogs'",
                 [&] { read_image_folder(some.path(), {.classes = {"cats"}}); });
}

TEST(image_folder, without_classes) {
    const some_images some;
    EXPECT_EQ(read_table(some.folder.path("cats")).x.size(), 2);
    EXPECT_TRUE(read_table(some.folder.path("cats")).y.empty());
    some.folder.write("e.pgm", "P2 1 1 1 1");
    EXPECT_EQ(read_image_folder(some.path()).x.size(), 3) << "no class, no example";
    EXPECT_EQ(read_image_folder(some.path(), {.labelled = false}).x.size(), 4);
    expect_error(errc::data, "expected images", [&] { read_image_folder(some.folder.path("empty")); });
    expect_error(errc::unsupported, "the format of this folder cannot be detected from",
                 [&] { read_table(some.folder.path("empty")); });
}

TEST(image_folder, names_the_first_file_that_is_wrong) {
    const some_images some;
    some.folder.write("cats/c.png", "this is text");
    some.folder.write("dogs/b.jpg", "");
    const int before = threads();
    for (const int count : {1, 3}) {
        set_threads(count);
        expect_error(errc::parse, "cats/c.png: byte 0: expected a PNG, JPEG, PGM or PPM image, got 'this is '",
                     [&] { read_table(some.path()); });
    }
    set_threads(before);
}

TEST(image_list, of_paths_and_labels) {
    const some_images some;
    const auto read = [&](const char* text, const char* name = "list.tsv") {
        return read_table(some.folder.write(name, text));
    };
    const table tabs = read("cats/b.pgm\tcat\ndogs/c.ppm\tdog\n\ncats/a.PGM\tcat\n");
    EXPECT_EQ(tabs.x.as<images>()->size(), 3);
    EXPECT_EQ(tabs.class_names, (std::vector<std::string>{"cat", "dog"}));
    EXPECT_EQ(tabs.y, (std::vector<double>{0, 1, 0}));
    EXPECT_EQ(read("\"dogs/c.ppm\",3\r\ncats/b.pgm,-1\r\n", "list.txt").y, (std::vector<double>{3, -1}));
    EXPECT_EQ(read("path,label\ndogs/c.ppm,3\n", "list.txt").y, (std::vector<double>{3}));
    const std::string absolute = some.folder.path("dogs/c.ppm") + "\n";
    EXPECT_TRUE(read(absolute.c_str()).y.empty());
    const read_options named{.format = &images_format()};
    EXPECT_EQ(read_table(some.folder.write("list.csv", "cats/b.pgm,1\n"), named).y, (std::vector<double>{1}));
    EXPECT_EQ(read_table(some.folder.path("cats/b.pgm")).x.size(), 1) << "an image by itself";
}

TEST(image_list, says_where_it_is_wrong) {
    const some_images some;
    const auto wrong = [&](const char* text, const char* message, errc code = errc::parse) {
        const std::string path = some.folder.write("list.tsv", text);
        expect_error(code, message, [&] { read_image_list(contents(path), path); });
    };
    wrong("cats/b.pgm\tx\ncats/a.PGM\n",
          "list.tsv:2:1: expected a path and a label, like the first line, got 1 fields");
    wrong("cats/b.pgm\ncats/a.PGM,y\n", "expected a path, like the first line, got 2 fields");
    wrong("cats/b.pgm\t\n", "expected a label, got none");
    wrong("cats/b.pgm\tx\ncats/none.pgm\tx\n", "list.tsv:2:1: expected the path of an image, got 'cats/none.pgm'",
          errc::data);
    wrong("cats\tx\n/dev/zero\tx\n", "expected the path of an image", errc::data);
    wrong("", "expected one path of an image per line, got none", errc::data);
    wrong("cats/notes.txt\tx\ncats/notes.txt\tx\n", "expected a PNG, JPEG, PGM or PPM image");
}

std::string array_of(const char* type, const char* shape, std::string_view bytes) {
    const std::string head = std::string("{'descr': '") + type + "', 'fortran_order': False, 'shape': " + shape + "}";
    std::string out("\x93NUMPY\x01\x00", 8);
    out += static_cast<char>(head.size());
    out += '\0';
    return out + head + std::string(bytes);
}

TEST(image_array, of_bytes_and_floats) {
    const auto read = [](const std::string& bytes) { return *parse_image_array(bytes, "f.npy").x.as<images>(); };
    const images grey = read(array_of("|u1", "(2, 1, 2)", std::string_view("\x00\xff\x33\x66", 4)));
    ASSERT_EQ(grey.size(), 2);
    EXPECT_EQ(grey[1].height, 1);
    EXPECT_EQ(grey[1].width, 2);
    EXPECT_EQ(grey[1].values, (std::vector<float>{0.2F, 0.4F}));
    EXPECT_EQ(read(array_of("|u1", "(1, 1, 1, 3)", std::string_view("\x00\xff\x33", 3)))[0].channels, 3);
    EXPECT_EQ(read(array_of("<u2", "(1, 1, 1)", "\xff\xff"))[0].values, (std::vector<float>{1}));
    EXPECT_EQ(read(array_of("|b1", "(1, 1, 1)", "\x01"))[0].values, (std::vector<float>{1}));
    const float values[] = {-2, 16};
    EXPECT_EQ(read(array_of("<f4", "(1, 2, 1)", {reinterpret_cast<const char*>(values), 8}))[0].values,
              (std::vector<float>{-2, 16}))
        << "floats as they are";
}

TEST(image_array, says_what_is_wrong) {
    const auto wrong = [](errc code, const char* message, const std::string& bytes) {
        expect_error(code, message, [&] { parse_image_array(bytes, "f.npy"); });
    };
    wrong(errc::unsupported, "f.npy: images must be an array of 3 dimensions", array_of("|u1", "(2, 2)", "abcd"));
    wrong(errc::unsupported, "the values of images must have type u1, u2, bool, f4 or f8, got i1",
          array_of("|i1", "(1, 1, 1)", "a"));
    wrong(errc::parse, "the header announces 2 x 1 x 2 numbers of 1 bytes, but 3 bytes follow it",
          array_of("|u1", "(2, 1, 2)", "abc"));
    wrong(errc::data, "at least one row", array_of("|u1", "(0, 4, 4)", ""));
    wrong(errc::invalid_argument, "got 5", array_of("|u1", "(1, 1, 1, 5)", "abcde"));
    wrong(errc::unsupported, "images must have at most 65535 pixels a side, got 65536",
          array_of("|u1", "(1, 65536, 1)", std::string(65536, 'x')));
}

TEST(image_array, has_its_labels_beside_it) {
    const scratch_folder folder;
    const std::string path = folder.write("set.npy", array_of("|u1", "(2, 1, 1)", "ab"));
    const read_options how{.format = &images_format()};
    EXPECT_TRUE(read_table(path, how).y.empty());
    folder.write("set.labels.txt", "one\ntwo\n");
    EXPECT_EQ(read_table(path, how).class_names, (std::vector<std::string>{"one", "two"}));
    folder.write("set.labels.npy", array_of("|u1", "(2,)", "\x03\x01"));
    EXPECT_EQ(read_table(path, how).y, (std::vector<double>{3, 1})) << "the array first";
    read_options without = how;
    without.tsv.labelled = false;
    EXPECT_TRUE(read_table(path, without).y.empty());
    folder.write("set.labels.npy", array_of("|u1", "(3,)", "\x03\x01\x01"));
    expect_error(errc::data, "set.labels.npy: 3 labels, but", [&] { read_table(path, how); });
    expect_error(errc::unsupported, "for images name the file as images:FILE", [&] { read_table(path); });
}

}  // namespace
}  // namespace mercer
