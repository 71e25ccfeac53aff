// mercer regions: class regions as small multiples; one parameter grows along each row.

#include "regions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/base/text.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/plot/class_regions.h"
#include "mercer/plot/region_sequences.h"
#include "mercer/plot/report_page.h"
#include "mercer/preprocess/scaling.h"
#include "program.h"

namespace mercer::cli {
namespace {

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> out;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t to = std::min(text.find(',', from), text.size());
        out.push_back(text.substr(from, to - from));
        from = to + 1;
    }
    return out;
}

std::optional<double> as_number(const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    return text.empty() || *end ? std::nullopt : std::optional(value);
}

index feature(const std::string& text, const table& data) {
    if (const auto at = std::ranges::find(data.feature_names, text); at != data.feature_names.end())
        return at - data.feature_names.begin();
    const auto position = as_number(text);
    const index dims = data.x.dims();
    if (position && *position == static_cast<double>(static_cast<index>(*position)) && *position >= 0 &&
        *position < static_cast<double>(dims))
        return static_cast<index>(*position);
    const std::string names =
        data.feature_names.empty() ? "" : fmt::format(", or one of {}", join(data.feature_names, ", "));
    fail(errc::invalid_argument,
         fmt::format("--pair: '{}' is not a feature: take a position from 0 to {}{}", text, dims - 1, names));
}

}  // namespace

void require_classes(const loaded_data& from, const std::string& path) {
    if (from.data.y.empty())
        fail(errc::data, fmt::format("{} has no class labels: name the target column with --target", path));
    constexpr std::size_t most = 100;
    const std::set<double> labels(from.data.y.begin(), from.data.y.end());
    if (labels.size() > most)
        fail(errc::data,
             fmt::format("{} has {} different labels, more than the {} classes that can be drawn: name a column of "
                         "classes with --target",
                         path, labels.size(), most));
}

std::optional<std::pair<index, index>> feature_pair(const std::string& text, const table& data) {
    if (text.empty()) return {};
    if (data.x.kind() != object_kind::vectors)
        fail(errc::unsupported,
             fmt::format("--pair needs vectors, but the data are {}: leave --pair out", name(data.x.kind())));
    const std::vector<std::string> names = split(text);
    if (names.size() != 2)
        throw usage_error(fmt::format("--pair must be two features with a comma between them, got '{}'", text));
    const index a = feature(names[0], data), b = feature(names[1], data);
    if (a == b) throw usage_error(fmt::format("--pair must be two different features, got '{}'", text));
    return std::pair(a, b);
}

std::pair<std::string, std::vector<double>> named_numbers(const std::string& text, const std::string& option) {
    const std::size_t equal = text.find('=');
    std::pair<std::string, std::vector<double>> out;
    if (equal != std::string::npos && equal > 0) {
        out.first = text.substr(0, equal);
        for (const std::string& each : split(text.substr(equal + 1))) {
            const auto value = as_number(each);
            if (!value) throw usage_error(fmt::format("{}: '{}' is not a number in '{}'", option, each, text));
            out.second.push_back(*value);
        }
    }
    if (out.second.empty()) throw usage_error(fmt::format("{} must be NAME=VALUE,VALUE,..., got '{}'", option, text));
    return out;
}

namespace {

struct regions_options {
    data_options from;
    common_options common;
    std::string kernel;
    std::vector<std::string> vary;
    double C = 1;
    bool all = false;
    std::string pair, svg, html;
    double seconds = 10;
};

void check_options(const regions_options& o) {
    if (o.svg.empty() && o.html.empty())
        throw usage_error(
            "the output file is missing: name it with --svg FILE or --html FILE; see `mercer regions --help`");
    if (o.all && (!o.vary.empty() || !o.kernel.empty()))
        throw usage_error("--all draws seven fixed sequences: leave --kernel and --vary out");
    if (o.vary.size() > 2)
        throw usage_error(fmt::format("--vary must be given once or twice, got {} times", o.vary.size()));
    if (!(o.C > 0)) throw usage_error(fmt::format("--C must satisfy C > 0, got {}", o.C));
}

bool can_vary(const std::string& text, const std::string& parameter) {
    try {
        with_parameter(text, parameter, 1);
    } catch (const error&) {
        return false;
    }
    return true;
}

// Returns the sequences to draw. One --vary gives one row of pictures; two give a table whose second parameter grows
// downward.
std::vector<sequence_spec> sequences_to_draw(const regions_options& o) {
    if (o.all) return course_sequences();
    const std::string text = o.kernel.empty() ? "rbf(gamma=1)" : parse_kernel(o.kernel).text();
    std::vector<sequence_spec> out;
    if (o.vary.empty()) {
        for (sequence_spec each : course_sequences())
            if (each.kernel.substr(0, each.kernel.find('(')) == text.substr(0, text.find('('))) {
                if (!o.kernel.empty()) each.kernel = text;
                // a composite kernel whose text begins with this name
                if (each.vary != "C" && !can_vary(text, each.vary)) continue;
                each.C = o.C;
                out.push_back(each);
            }
        if (out.empty()) out.push_back({text, o.C, "C", {0.01, 0.1, 1, 10, 100}});
        return out;
    }
    const auto [across, values] = named_numbers(o.vary[0], "--vary");
    const auto checked = [&](const std::string& parameter, const std::vector<double>& all) {
        for (const double value : all) {
            if (parameter == "C" && !(value > 0))
                throw usage_error(fmt::format("--vary: C must satisfy C > 0, got {}", value));
            try {
                if (parameter != "C") kernel::parse(with_parameter(text, parameter, value));
            } catch (const error& wrong) {
                throw usage_error(fmt::format("--vary: {}", wrong.what()));
            }
        }
    };
    checked(across, values);
    if (o.vary.size() == 1) return {{text, o.C, across, values}};
    const auto [down, steps] = named_numbers(o.vary[1], "--vary");
    if (down == across)
        throw usage_error(fmt::format("--vary: '{}' is given twice; name two different parameters", down));
    checked(down, steps);
    for (const double value : steps)
        out.push_back(
            {down == "C" ? text : with_parameter(text, down, value), down == "C" ? value : o.C, across, values});
    return out;
}

loaded_data load_vectors(const regions_options& o) {
    loaded_data on = load(o.from);
    if (on.data.x.kind() != object_kind::vectors || on.data.x.dims() < 2)
        fail(errc::unsupported,
             fmt::format("regions need vectors of at least two features, but {} contains {}: `mercer explain --html` "
                         "draws any data in feature space",
                         o.from.path,
                         on.data.x.kind() == object_kind::vectors ? "vectors of 1 feature" : name(on.data.x.kind())));
    if (o.from.scale.empty()) {  // suitable values of γ depend on the scale
        scaling_options how;
        how.method = scaling_method::standardise;
        const dataset dense_x = as_dense<double>(on.data.x);
        on.data.x = scaling::fit(dense_x, how).apply(dense_x);
        on.about += ", standardised";
    }
    require_classes(on, o.from.path);
    return on;
}

// All sequences, and a description of their data.
struct fitted_regions {
    std::vector<region_sequence> rows;
    std::string about;
};

fitted_regions fit_all(const regions_options& o, const std::vector<sequence_spec>& wanted, progress_line& shown) {
    const loaded_data on = load_vectors(o);
    sequence_data data{on.data.x, on.data.y, on.data.class_names, on.data.feature_names, {0, 1}};
    const auto pair = feature_pair(o.pair, on.data);
    data.pair = pair                    ? *pair
                : on.data.x.dims() == 2 ? std::pair<index, index>{0, 1}
                                        : find_best_separated_features(on.data.x, on.data.y);
    fitted_regions out;
    out.about = on.about;
    if (on.data.x.dims() > 2)
        out.about += fmt::format("; fitted on two features only{}",
                                 pair ? "" : ", the pair that separates the classes best (--pair selects others)");
    index fits = 0, done = 0;
    for (const auto& each : wanted) fits += static_cast<index>(each.values.size());
    shown.set_phase("fitting");
    for (const auto& each : wanted)
        out.rows.push_back(fit_sequence(each, data, o.seconds, [&] {
            shown.set_fraction(static_cast<double>(++done) / static_cast<double>(fits));
        }));
    return out;
}

void write_pictures(const regions_options& o, const fitted_regions& all) {
    const std::string title = "Class regions, margins and support vectors";
    if (!o.svg.empty()) write_atomically(o.svg, sequences_figure(title, all.about, all.rows).finish());
    if (o.html.empty()) return;
    std::vector<report_figure> figures;
    for (const region_sequence& row : all.rows) figures.push_back({sequences_figure(row.title, "", {row}), ""});
    write_atomically(o.html, pictures_html(title, all.about, figures));
}

void draw(const regions_options& o) {
    check_options(o);
    o.common.apply();
    const std::vector<sequence_spec> wanted = sequences_to_draw(o);
    fitted_regions all;
    {
        progress_line shown;
        shown.set_phase("reading " + o.from.path);
        all = fit_all(o, wanted, shown);
        shown.set_phase("drawing");
        write_pictures(o, all);
    }
    json answer{{"data", all.about}, {"sequences", json::array()}};
    std::string text = all.about + "\n";
    for (const region_sequence& row : all.rows) {
        json tiles = json::array();
        std::vector<std::vector<std::string>> lines{{"", "accuracy", "support vectors", ""}};
        for (const region_tile& tile : row.tiles) {
            tiles.push_back({{"caption", tile.caption},
                             {"accuracy", tile.has_model ? json(tile.accuracy) : json(nullptr)},
                             {"support", tile.support},
                             {"note", tile.warning}});
            lines.push_back({tile.caption, tile.has_model ? fmt::format("{:.1f} %", 100 * tile.accuracy) : "-",
                             fmt::format("{}", tile.support), tile.warning});
        }
        answer["sequences"].push_back({{"title", row.title}, {"tiles", tiles}});
        text += "\n" + row.title + "\n" + align_table(lines, {false, true, true, false});
    }
    if (o.common.as_json) return print(answer);
    for (const std::string* path : {&o.svg, &o.html})
        if (!path->empty()) text += fmt::format("\npicture: {}\n", *path);
    print(text);
}

}  // namespace

void add_regions(CLI::App& program) {
    CLI::App* command = add_command(program, "regions", "Draw class regions for several values of a parameter",
                                    "Draws the class regions, margins and support vectors of a support vector "
                                    "classifier on two features, for several values of a parameter.");
    const auto o = std::make_shared<regions_options>();
    o->from.add_to(*command);
    command->get_option("--scale")->description("Scale the features: standard or minmax (default: standard)");
    command->add_option("--kernel", o->kernel, "Kernel, such as rbf or 'poly(coef0=1)' (default: rbf(gamma=1))")
        ->option_text("EXPR")
        ->group("Fit");
    command->add_option("--vary", o->vary, "Values of C or of a kernel parameter; a second --vary makes a table")
        ->option_text("NAME=V,V,...")
        ->allow_extra_args(false)
        ->group("Fit");
    command->add_option("--C", o->C, "Penalty parameter C, unless --vary varies C (default: 1)")
        ->option_text("NUMBER")
        ->group("Fit");
    command
        ->add_flag("--all", o->all, "Draw seven standard sequences: linear, rbf, poly, sigmoid over C, gamma, degree")
        ->group("Fit");
    command->add_option("--max-seconds", o->seconds, "Time limit of each fit in seconds (default: 10)")
        ->option_text("S")
        ->check(CLI::PositiveNumber)
        ->group("Fit");
    command
        ->add_option("--pair", o->pair,
                     "Two features, names or positions (default: the pair that best separates classes)")
        ->option_text("A,B")
        ->group("Data");
    command->add_option("--svg", o->svg, "Write the pictures to this SVG file (--svg or --html is required)")
        ->option_text("FILE")
        ->group("Output");
    command->add_option("--html", o->html, "Write the pictures to this HTML file (--svg or --html is required)")
        ->option_text("FILE")
        ->group("Output");
    o->common.add_to(*command);
    set_common_options(
        *command, {"--kernel", "--vary", "--C", "--all", "--pair", "--target", "--scale", "--svg", "--html", "--json"});
    command->footer(
        "Without --vary, the standard sequences of the kernel are drawn (over gamma or degree, and over C); a kernel "
        "without a standard sequence is drawn for C from 0.01 to 100.\n"
        "\nExamples:\n"
        "  mercer regions data/iris.csv --target species --vary gamma=1,10 --svg iris.svg\n"
        "  mercer regions data/wine.svm --vary gamma=0.1,1 --vary C=0.1,1 --html t.html");
    command->callback([o] { draw(*o); });
}

}  // namespace mercer::cli
