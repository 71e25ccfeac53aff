#include "mercer/io/image_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <exception>
#include <filesystem>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/base/threads.h"
#include "mercer/base/workspace.h"
#include "mercer/io/csv.h"
#include "mercer/io/file_contents.h"
#include "mercer/io/read.h"
#include "mercer/io/target_column.h"

namespace mercer {
namespace {

namespace fs = std::filesystem;

using detail::folder_entries;

std::vector<fs::path> images_in(const fs::path& folder) {
    std::vector<fs::path> out = folder_entries(folder);
    std::erase_if(out,
                  [](const fs::path& each) { return !is_image_name(each.string()) || !fs::is_regular_file(each); });
    return out;
}

// Returns true if more than half of the files in the folder and its sub-folders are images.
bool is_image_folder(const std::string& path) {
    index pictures = 0, others = 0;
    const auto count = [&](const fs::path& file) { is_image_name(file.string()) ? ++pictures : ++others; };
    for (const fs::path& each : folder_entries(path)) {
        if (!fs::is_directory(each))
            count(each);
        else
            for (const fs::path& file : folder_entries(each)) count(file);
    }
    return pictures > others;
}

// Decodes the files in parallel. If several files fail, throws the error of the first one in the list.
images decode_all(const std::vector<std::string>& paths) {
    std::vector<image> made(paths.size());
    std::vector<std::exception_ptr> faults(paths.size());
    parallel_for(static_cast<index>(paths.size()), [&](index i) {
        const auto at = static_cast<std::size_t>(i);
        try {
            const file_contents file = read_file(paths[at]);
            made[at] = parse_untruncated(file, [&] { return decode_image(file.bytes(), file.name()); });
        } catch (...) {
            faults[at] = std::current_exception();
        }
    });
    for (const std::exception_ptr& each : faults)
        if (each) std::rethrow_exception(each);
    return images(std::move(made));
}

// `body` is the list without its byte order mark.
detail::record_reader list_reader(std::string_view body, const std::string& name) {
    const auto tab = body.substr(0, body.find('\n')).find('\t') != std::string_view::npos;
    return {body, name, tab ? '\t' : ','};
}

fs::path path_in_list(const std::string& list, std::string_view text) {
    return fs::path(list).parent_path() / std::string(text);
}

}  // namespace

table read_image_folder(const std::string& path, const tsv_options& options) {
    std::vector<std::string> paths;
    detail::label_list classes;
    for (const fs::path& folder : folder_entries(path)) {
        if (!fs::is_directory(folder)) continue;
        const std::vector<fs::path> inside = images_in(folder);
        if (inside.empty()) continue;
        const std::string name =
            detail::folder_class(folder, options.labelled ? options.classes : std::vector<std::string>{});
        for (const fs::path& file : inside) {
            paths.push_back(file.string());
            classes.add(name);
        }
    }
    const bool labelled = options.labelled && !paths.empty();
    if (!labelled)
        for (const fs::path& file : images_in(path)) paths.push_back(file.string());
    if (paths.empty())
        fail(errc::data, fmt::format("{}: expected images (.png .jpg .jpeg .pgm .ppm), or a sub-folder of them for "
                                     "each class, got none",
                                     path));
    table result;
    result.x = decode_all(paths);
    if (labelled) classes.finish(path, options.classes, result);
    return result;
}

table read_image_list(std::string_view text, const std::string& name, const tsv_options& options) {
    const std::string_view body = detail::without_byte_order_mark(text);
    detail::record_reader lines = list_reader(body, name);
    std::vector<std::string> paths;
    detail::label_column classes;
    bool labelled = false;
    std::vector<detail::csv_text_field> line;
    for (bool first = true; lines.next(line); first = false) {
        if (first && !is_image_name(line[0].text)) continue;
        if (paths.empty()) labelled = line.size() == 2;
        if (line.size() != (labelled ? 2U : 1U))
            detail::fail_at(errc::parse, name, body, line[0].offset,
                            fmt::format("expected {}, like the first line, got {} fields",
                                        labelled ? "a path and a label" : "a path", line.size()));
        if (labelled && line[1].text.empty())
            detail::fail_at(errc::parse, name, body, line[1].offset, "expected a label, got none");
        const fs::path file = path_in_list(name, line[0].text);
        std::error_code unknown;
        if (!fs::is_regular_file(file, unknown))
            detail::fail_at(errc::data, name, body, line[0].offset,
                            fmt::format("expected the path of an image, got {}: there is no file {}",
                                        detail::quoted(line[0].text), file.string()));
        paths.push_back(file.string());
        if (labelled) classes.add(line[1].text, line[1].offset);
    }
    if (paths.empty()) fail(errc::data, fmt::format("{}: expected one path of an image per line, got none", name));
    table result;
    result.x = decode_all(paths);
    if (labelled && options.labelled) classes.finish(name, body, options.classes, result);
    return result;
}

table parse_image_array(std::string_view bytes, const std::string& name) {
    const npy_array array = open_npy(bytes, name);
    const auto dims = array.shape.size();
    if (dims != 3 && dims != 4)
        fail(errc::unsupported, fmt::format("{}: images must be an array of 3 dimensions (n, height, width) or 4 "
                                            "dimensions (n, height, width, channels), got {}",
                                            name, dims));
    const bool floats = array.type == "f4" || array.type == "f8", bits = array.type == "b1";
    if (!floats && !bits && array.type != "u1" && array.type != "u2")
        fail(errc::unsupported,
             fmt::format("{}: the values of images must have type u1, u2, bool, f4 or f8, got {}", name, array.type));
    const dataset rows = npy_rows(array, true, name);
    const auto& all = *rows.as<dense<float>>();
    for (std::size_t i = 1; i < dims; ++i)
        if (array.shape[i] > static_cast<std::uint64_t>(image::max_side))
            fail(errc::unsupported, fmt::format("{}: images must have at most {} pixels a side, got {}", name,
                                                image::max_side, array.shape[i]));
    const auto side = [&](std::size_t i) { return static_cast<index>(array.shape[i]); };
    const float scale = array.type == "u1" ? 255.0F : array.type == "u2" ? 65535.0F : 1.0F;
    std::vector<image> made;
    for (index i = 0; i < all.size(); ++i) {
        image& one = made.emplace_back();
        one.height = side(1), one.width = side(2), one.channels = dims == 4 ? side(3) : 1;
        for (index j = 0; j < all.dims(); ++j) one.values.push_back(all.row(i)[j] / scale);
    }
    table result;
    result.x = images(std::move(made));
    return result;
}

namespace {

// Returns the path of images.labels.npy or images.labels.txt beside images.npy; empty if neither exists.
std::string find_labels_file(const std::string& array) {
    const std::string stem = fs::path(array).replace_extension().string();
    std::error_code unknown;
    for (const char* end : {".labels.npy", ".labels.txt"})
        if (fs::is_regular_file(stem + end, unknown)) return stem + end;
    return {};
}

void read_labels_file(const std::string& array, const tsv_options& options, table& out) {
    const std::string path = find_labels_file(array);
    if (path.empty()) return;
    const file_contents file = read_file(path);
    detail::label_list found;
    index count = 0;
    if (path.ends_with(".npy")) {
        const dense<double> rows =
            as_dense<double>(parse_untruncated(file, [&] { return parse_npy(file.bytes(), path, precision::f64).x; }));
        if (rows.dims() != 1)
            fail(errc::data, fmt::format("{}: expected one label per image, got {} columns", path, rows.dims()));
        for (; count < rows.size(); ++count) found.add(fmt::format("{}", rows.row(count)[0]));
    } else {
        std::string_view rest = detail::without_byte_order_mark(file.bytes()), line;
        for (; detail::next_line(rest, line); ++count) found.add(detail::trimmed(line));
        file.require_untruncated();
    }
    if (count != out.x.size())
        fail(errc::data, fmt::format("{}: {} labels, but {} has {} images", path, count, array, out.x.size()));
    return found.finish(path, options.classes, out);
}

table parse_images(const file_contents& file, const read_options& options) {
    if (file.bytes().starts_with("\x93NUMPY")) {
        table result = parse_image_array(file.bytes(), file.name());
        if (options.tsv.labelled && options.allow_other_files) read_labels_file(file.name(), options.tsv, result);
        return result;
    }
    if (!is_image(file.bytes()) && !is_image_name(file.name())) {
        if (!options.allow_other_files)
            fail(errc::unsupported, fmt::format("{}: the server does not open files that a list of images names: send "
                                                "one image, or an .npy array of images",
                                                file.name()));
        return read_image_list(file.bytes(), file.name(), options.tsv);
    }
    table result;
    result.x = images({decode_image(file.bytes(), file.name(), options.max_pixels)});
    return result;
}

bool looks_like_images(const file_beginning& file) {
    const auto is_path = [](std::string_view line) { return is_image_name(line.substr(0, line.find_first_of("\t,"))); };
    return is_image(file.bytes) || is_path(file.first_line) || is_path(file.second_line);
}

// Returns true if the name or the first bytes are those of an image: lists may name images without such an ending.
bool is_image_file(const fs::path& file) {
    std::error_code unknown;
    if (!fs::is_regular_file(file, unknown)) return false;
    if (is_image_name(file.string())) return true;
    std::string start;
    byte_stream(file.string()).read(start, 16);
    return is_image(start);
}

// Returns the image files that the first `most` lines of a list name. `text` may be the beginning of the list.
std::vector<std::string> list_image_files(std::string_view text, const std::string& name, std::size_t most) {
    const std::string_view body = detail::without_byte_order_mark(text);
    detail::record_reader lines = list_reader(body, name);
    std::vector<std::string> out;
    std::vector<detail::csv_text_field> line;
    for (std::size_t i = 0; i < most && lines.next(line); ++i)
        if (const fs::path file = path_in_list(name, line[0].text); is_image_file(file)) out.push_back(file.string());
    return out;
}

}  // namespace

std::vector<std::string> files_read_with_images(const std::string& path, const std::string& name) {
    constexpr std::size_t beginning = 1 << 16;  // enough for the header and the first path of a list
    try {
        std::string start;
        byte_stream(path).read(start, beginning);
        if (start.starts_with("\x93NUMPY")) {
            const std::string labels = find_labels_file(name);
            if (labels.empty()) return {};
            const file_contents file = read_file(path);
            const bool is_of_images =
                parse_untruncated(file, [&] { return open_npy(file.bytes(), name).shape.size() > 2; });
            return is_of_images ? std::vector{labels} : std::vector<std::string>{};
        }
        if (is_image(start) || list_image_files(start, name, 2).empty()) return {};
        const file_contents file = read_file(path);
        return parse_untruncated(file, [&] { return list_image_files(file.bytes(), name, file.bytes().size()); });
    } catch (const error&) {  // the reader of the file reports the error
        return {};
    }
}

const file_format& images_format() {
    static const file_format about{
        "images",
        {".png", ".jpg", ".jpeg", ".pgm", ".ppm", ".pnm"},
        looks_like_images,
        parse_images,
        is_image_folder,
        [](const std::string& path, const read_options& options) { return read_image_folder(path, options.tsv); }};
    return about;
}

image decode_image(std::string_view bytes, const std::string& name, index max_pixels) {
    if (bytes.starts_with(detail::png_magic)) return detail::decode_png(bytes, name, max_pixels);
    if (bytes.starts_with(detail::jpeg_magic)) return detail::decode_jpeg(bytes, name, max_pixels);
    if (is_image(bytes)) return detail::decode_netpbm(bytes, name, max_pixels);
    fail(errc::parse, fmt::format("{}: byte 0: expected a PNG, JPEG, PGM or PPM image, got {}", name,
                                  bytes.empty() ? "an empty file" : detail::quoted(bytes.substr(0, 8))));
}

bool is_image_name(std::string_view name) {
    std::string lower(name.substr(std::min(name.rfind('.'), name.size())));
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    constexpr std::string_view ends[] = {".png", ".jpg", ".jpeg", ".pgm", ".ppm", ".pnm"};
    return std::ranges::find(ends, lower) != std::end(ends);
}

bool is_image(std::string_view bytes) {
    if (bytes.starts_with(detail::png_magic) || bytes.starts_with(detail::jpeg_magic)) return true;
    return bytes.size() > 2 && bytes[0] == 'P' && std::string_view("2356").find(bytes[1]) != std::string_view::npos &&
           (bytes[2] == '#' || std::isspace(static_cast<unsigned char>(bytes[2])));
}

namespace detail {

void require_decodable(index height, index width, const std::string& name, index max_pixels) {
    if (height < 1 || width < 1) fail(errc::parse, fmt::format("{}: an image of {} x {} pixels", name, height, width));
    if (height > image::max_side || width > image::max_side || height * width > max_pixels)
        fail(errc::unsupported,
             fmt::format("{}: images must have at most {} pixels a side and {} pixels in all, got {} x {}", name,
                         image::max_side, max_pixels, height, width));
    // Bytes per pixel for the decoder's buffer, the values of the image, and their copy in the dataset.
    constexpr std::size_t per_pixel = 40;
    reserve_workspace(static_cast<std::size_t>(height * width) * per_pixel);
}

void fail_no_decoder(const std::string& name, const char* format, const char* library, const char* package) {
    fail(errc::unsupported, fmt::format("{}: the file is a {} image, but this mercer was built without support for {}: "
                                        "install {} (Debian package {}) and build again",
                                        name, format, format, library, package));
}

// PGM and PPM, in text (P2, P3) or binary (P5, P6): the format, width, height and the largest value in decimal,
// separated by blanks or comments, then one blank, then the values. Binary values take two bytes if the largest value
// exceeds 255.

namespace {

class netpbm_parser {
public:
    netpbm_parser(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

    image run(index max_pixels) {
        const char kind = bytes_[1];
        at_ = 2;
        image out;
        out.width = number("the width", image::max_side);
        out.height = number("the height", image::max_side);
        out.channels = kind == '3' || kind == '6' ? 3 : 1;
        require_decodable(out.height, out.width, name_, max_pixels);
        most_ = static_cast<unsigned>(number("the largest value", 65535));
        if (most_ == 0) fail_expecting("a largest value from 1 to 65535", at_);
        const index count = out.pixels() * out.channels;
        kind == '2' || kind == '3' ? text(out, count) : binary(out, count);
        return out;
    }

private:
    void text(image& out, index count) {
        if (static_cast<index>(bytes_.size() - at_) < 2 * count - 1) fail_truncated(count);
        for (index i = 0; i < count; ++i)
            out.values.push_back(intensity(static_cast<unsigned>(number("a value", most_)), most_));
    }
    void binary(image& out, index count) {
        if (at_ == bytes_.size() || !std::isspace(static_cast<unsigned char>(bytes_[at_])))
            fail_expecting("one blank before the values", at_);
        ++at_;
        const std::size_t size = most_ > 255 ? 2 : 1;
        if ((bytes_.size() - at_) / size < static_cast<std::size_t>(count)) fail_truncated(count);
        const auto byte = [&](std::size_t at) { return static_cast<unsigned>(static_cast<unsigned char>(bytes_[at])); };
        for (index i = 0; i < count; ++i, at_ += size) {
            const unsigned value = size == 2 ? byte(at_) << 8 | byte(at_ + 1) : byte(at_);
            if (value > most_) fail_expecting(fmt::format("a pixel value of at most {}, got {}", most_, value), at_);
            out.values.push_back(intensity(value, most_));
        }
    }
    // Reads the next number, after blanks and comments.
    index number(const char* what, index largest) {
        for (; at_ < bytes_.size(); ++at_) {
            if (bytes_[at_] == '#') {
                at_ = std::min(bytes_.find_first_of("\n\r", at_), bytes_.size() - 1);
            } else if (!std::isspace(static_cast<unsigned char>(bytes_[at_]))) {
                break;
            }
        }
        const std::size_t start = at_;
        index value = 0;
        for (; at_ < bytes_.size() && bytes_[at_] >= '0' && bytes_[at_] <= '9' && value <= largest; ++at_)
            value = 10 * value + (bytes_[at_] - '0');
        if (at_ == start || value > largest) fail_expecting(fmt::format("{}, a number up to {}", what, largest), start);
        return value;
    }
    [[noreturn]] void fail_truncated(index count) {
        fail(errc::parse, fmt::format("{}: truncated: {} values are needed from byte {} on, but the file ends at {}",
                                      name_, count, at_, bytes_.size()));
    }
    [[noreturn]] void fail_expecting(const std::string& expected, std::size_t at) {
        fail(errc::parse, fmt::format("{}: byte {}: expected {}", name_, at, expected));
    }

    std::string_view bytes_;
    const std::string& name_;
    std::size_t at_ = 0;
    unsigned most_ = 255;
};

}  // namespace

image decode_netpbm(std::string_view bytes, const std::string& name, index max_pixels) {
    return netpbm_parser(bytes, name).run(max_pixels);
}

}  // namespace detail
}  // namespace mercer
