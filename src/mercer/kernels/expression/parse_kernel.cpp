#include "mercer/kernels/expression/parse_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/kernels/expression/algebra.h"
#include "mercer/kernels/expression/listed_kernels.h"
#include "mercer/kernels/expression/registered_functions.h"
#include "mercer/kernels/vectors/constant.h"

namespace mercer {
namespace {

using value = std::variant<double, kernel>;

class parser {
public:
    explicit parser(std::string_view text) : text_(text) {}

    kernel parse() {
        const std::size_t start = skip();
        if (at_end()) fail_at("a kernel is expected here");
        value made = sum();
        skip();
        if (!at_end()) fail_at(fmt::format("'{}' is not expected here", character()));
        return as_kernel(std::move(made), start);
    }

private:
    static constexpr int max_depth = 200;   // levels of parentheses; the limit prevents a stack overflow
    static constexpr int max_parts = 1000;  // kernels in one expression; a long sum is a deep tree too

    // Counts one level of parentheses while the object exists.
    class nested {
    public:
        explicit nested(parser& in) : in_(in) {
            if (++in_.depth_ > max_depth) in_.fail_at(fmt::format("more than {} levels of brackets", max_depth));
        }
        ~nested() { --in_.depth_; }
        nested(const nested&) = delete;
        nested& operator=(const nested&) = delete;

    private:
        parser& in_;
    };

    value sum() {
        const nested guard(*this);
        std::size_t start = skip();
        value left = product(1);
        for (char sign; (sign = peek()) == '+' || sign == '-';) {
            ++at_;
            value right = product(sign == '-' ? -1 : 1);
            if (std::holds_alternative<double>(left) && std::holds_alternative<double>(right)) {
                left = std::get<double>(left) + std::get<double>(right);
            } else {
                left = with_position(start, [&]() -> value {
                    if (const double* c = std::get_if<double>(&right)) return std::get<kernel>(left) + *c;
                    if (const double* c = std::get_if<double>(&left)) return *c + std::get<kernel>(right);
                    return std::get<kernel>(left) + std::get<kernel>(right);
                });
            }
        }
        return left;
    }

    // Multiplies all numbers and signs into one factor in front of the kernels, as the text form writes it.
    value product(double sign) {
        const std::size_t start = skip();
        double factor = 1;
        bool scaled = false;
        std::optional<kernel> kernels;
        for (std::size_t sign_at = std::string_view::npos;;) {
            for (; peek() == '-'; ++at_) sign = -sign;
            value next = power();
            if (sign_at != std::string_view::npos && text_[sign_at] == '/') {
                const double* c = std::get_if<double>(&next);
                if (!c) fail_at("a kernel can be divided by a number only", sign_at);
                if (*c == 0) fail_at("division by zero", sign_at);
                next = 1 / *c;
            }
            if (const double* c = std::get_if<double>(&next)) {
                factor *= *c;
                scaled = true;
            } else {
                kernels = kernels ? with_position(start, [&] { return *kernels * std::get<kernel>(next); })
                                  : std::get<kernel>(next);
            }
            if (peek() != '*' && peek() != '/') break;
            sign_at = at_++;
        }
        factor *= sign;
        if (!kernels) return factor;
        if (!scaled && sign > 0) return *kernels;
        return with_position(start, [&]() -> value { return factor * *kernels; });
    }

    value power() {
        const std::size_t start = skip();
        value base = atom();
        if (peek() == '^') {
            ++at_;
            const std::size_t exponent_at = skip();
            const bool minus = peek() == '-';
            if (minus) ++at_;
            skip();
            value exponent = atom();
            const double* m = std::get_if<double>(&exponent);
            if (!m) fail_at("the exponent must be a number", exponent_at);
            const double e = minus ? -*m : *m;
            base = with_position(start, [&]() -> value {
                if (const double* c = std::get_if<double>(&base)) return std::pow(*c, e);
                return pow(std::get<kernel>(base), e);
            });
        }
        return base;
    }

    value atom() {
        const char c = peek();
        if (c == '(') {
            ++at_;
            value inside = sum();
            expect(')');
            return inside;
        }
        if ((c >= '0' && c <= '9') || c == '.') return number();
        if (is_letter(c)) return call();
        if (at_end()) fail_at("a kernel or a number is expected here, but the expression ends");
        fail_at(fmt::format("a kernel or a number is expected here, got '{}'", character()));
    }

    value call() {
        const std::size_t start = at_;
        const std::string word = name();
        if (++parts_ > max_parts) fail_at(fmt::format("more than {} kernels in one expression", max_parts), start);
        if (word == "exp" || word == "normalize" || word == "normalise") {
            const kernel inner = kernel_argument();
            expect(')');
            return word == "exp" ? exp(inner) : normalise(inner);
        }
        if (word == "polynomial_of" || word == "columns" || word == "scaled") {
            const kernel inner = kernel_argument();
            expect(',');
            const std::size_t list_at = skip();
            const argument list = literal();
            const auto* numbers = std::get_if<std::vector<double>>(&list);
            if (!numbers) fail_at("a list of numbers [a, b, …] is expected here", list_at);
            expect(')');
            return with_position(start, [&]() -> value {
                if (word == "polynomial_of") return polynomial_of(inner, *numbers);
                if (word == "scaled") return scaled(inner, *numbers);
                std::vector<index> which;
                for (const double column : *numbers) {
                    if (column != std::floor(column) || column < 0 || column > 2e9)
                        fail_at(fmt::format("columns must be whole numbers >= 0, got {}", column), list_at);
                    which.push_back(static_cast<index>(column));
                }
                return columns(inner, which);
            });
        }
        if (word == "field") return field_of_records(start);
        if (word == "conjugate" || word == "pullback" || word == "map" || word == "user") return named(word);
        const registered_kernel* found = find_kernel(word);
        if (!found) fail_at(unknown(word), start);
        arguments given(found->info.name);
        if (peek() == '(') read_arguments(*found, given);
        return with_position(start, [&] { return found->make(given); });
    }

    // field(name, k); the name is a word or in quotes.
    value field_of_records(std::size_t start) {
        expect('(');
        skip();
        const std::string who = peek() == '"' ? quoted_name() : name();
        expect(',');
        const std::size_t inner_at = skip();
        const kernel inner = as_kernel(sum(), inner_at);
        expect(')');
        return with_position(start, [&]() -> value { return field(who, inner); });
    }

    // conjugate(h, k), pullback(φ, k), map(φ), user(f)
    value named(const std::string& word) {
        expect('(');
        const std::size_t name_at = skip();
        const std::string who = name();
        const auto missing = [&](const char* what) {
            fail_at(fmt::format("no {} is registered under the name '{}'", what, who), name_at);
        };
        if (word == "user") {
            const auto k = find_registered_kernel(who);
            if (!k) missing("kernel");
            expect(')');
            return *k;
        }
        if (word == "conjugate") {
            const auto h = find_weight(who);
            if (!h) missing("function");
            expect(',');
            const std::size_t start = skip();
            const kernel inner = as_kernel(sum(), start);
            expect(')');
            return conjugate(who, *h, inner);
        }
        const auto phi = find_map(who);
        if (!phi && word == "pullback" && find_kernel(who)) return pulled_back(name_at);
        if (!phi) missing("map");
        if (word == "map") {
            expect(')');
            return from_feature_map(who, *phi);
        }
        expect(',');
        const std::size_t start = skip();
        const kernel inner = as_kernel(sum(), start);
        expect(')');
        return pull_back(who, *phi, inner);
    }

    // pullback(map, k) with a kernel `map` that begins at map_at.
    value pulled_back(std::size_t map_at) {
        at_ = map_at;
        const kernel map = as_kernel(call(), map_at);
        expect(',');
        const std::size_t start = skip();
        const kernel inner = as_kernel(sum(), start);
        expect(')');
        return with_position(map_at, [&]() -> value { return pull_back(map, inner); });
    }

    void read_arguments(const registered_kernel& owner, arguments& given) {
        const auto& parameters = owner.info.parameters;
        ++at_;
        skip();
        if (peek() == ')') {
            ++at_;
            return;
        }
        for (std::size_t position = 0;; ++position) {
            const std::size_t start = skip();
            std::string key;
            if (is_letter(peek())) {
                key = name();
                bool known = std::find(owner.other_arguments.begin(), owner.other_arguments.end(), key) !=
                             owner.other_arguments.end();
                for (const auto& parameter : parameters) known = known || parameter.name == key;
                if (!known)
                    fail_at(fmt::format("{} has no parameter '{}'{}", owner.info.name, key, parameter_list(owner)),
                            start);
                expect('=');
                skip();
            } else {
                if (position >= parameters.size())
                    fail_at(fmt::format("{} takes {} argument{}, got more", owner.info.name, parameters.size(),
                                        parameters.size() == 1 ? "" : "s"),
                            start);
                key = parameters[position].name;
            }
            with_position(start, [&] { return given.set(key, literal()), 0; });
            skip();
            if (peek() == ')') break;
            expect(',');
        }
        ++at_;
    }

    static std::string parameter_list(const registered_kernel& owner) {
        if (owner.info.parameters.empty()) return "; it has no parameters";
        std::string out = "; its parameters are ";
        for (std::size_t i = 0; i < owner.info.parameters.size(); ++i)
            out += (i ? ", " : "") + owner.info.parameters[i].name;
        return out;
    }

    argument literal() {
        skip();
        if (peek() != '[') return signed_number();
        ++at_;
        std::vector<double> flat;
        std::vector<std::vector<double>> rows;
        for (skip(); peek() != ']'; skip()) {
            if (!flat.empty() || !rows.empty()) expect(','), skip();
            if (peek() == '[') {
                const std::size_t row_at = at_;
                const nested guard(*this);
                argument row = literal();
                auto* numbers = std::get_if<std::vector<double>>(&row);
                if (!numbers || !flat.empty())
                    fail_at("a list of numbers, or of lists of numbers, is expected here", row_at);
                rows.push_back(std::move(*numbers));
            } else {
                if (!rows.empty()) fail_at("a list [a, b, …] is expected here, like the ones before it");
                flat.push_back(signed_number());
            }
        }
        ++at_;
        if (!rows.empty()) return rows;
        return flat;
    }

    double signed_number() {
        const bool negative = peek() == '-';
        if (negative) ++at_;
        const double x = number();
        return negative ? -x : x;
    }

    double number() {
        skip();
        double x = 0;
        const char* first = text_.data() + at_;
        const auto [end, code] = std::from_chars(first, text_.data() + text_.size(), x);
        const bool letters =
            first != text_.data() + text_.size() && !((*first >= '0' && *first <= '9') || *first == '.');
        if (code == std::errc::invalid_argument || letters) fail_at("a number is expected here");
        if (code == std::errc::result_out_of_range || !std::isfinite(x))
            fail_at("this number exceeds the range of double");
        at_ += static_cast<std::size_t>(end - first);
        return x;
    }

    std::string name() {
        skip();
        const std::size_t start = at_;
        while (!at_end() && (is_letter(text_[at_]) || (text_[at_] >= '0' && text_[at_] <= '9'))) ++at_;
        if (at_ == start) fail_at("a name is expected here");
        return std::string(text_.substr(start, at_ - start));
    }

    std::string quoted_name() {
        const std::size_t open = at_++;
        std::string out;
        for (; !at_end() && text_[at_] != '"'; ++at_) {
            if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
            out += text_[at_];
        }
        if (at_end()) fail_at("this quote is not closed", open);
        ++at_;
        return out;
    }

    kernel kernel_argument() {
        expect('(');
        const std::size_t start = skip();
        return as_kernel(sum(), start);
    }

    // Converts a number to the constant kernel.
    kernel as_kernel(value made, std::size_t start) {
        if (const double* c = std::get_if<double>(&made))
            return with_position(start, [&] { return kernel(constant{*c}); });
        return std::get<kernel>(made);
    }

    std::string unknown(const std::string& word) const {
        std::vector<std::string> known;
        for (const auto& each : kernel_registry()) {
            known.push_back(each.info.name);
            known.insert(known.end(), each.info.aliases.begin(), each.info.aliases.end());
        }
        known.insert(known.end(), {"exp", "normalize", "polynomial_of", "columns", "scaled", "field", "conjugate",
                                   "pullback", "map", "user"});
        const std::string best = nearest_name(word, known);
        return fmt::format("there is no kernel '{}'{}", word, best.empty() ? "" : "; did you mean " + best + "?");
    }

    // Runs step() and adds the position `start` to an error that it throws.
    template <class Step>
    auto with_position(std::size_t start, Step step) -> decltype(step()) {
        try {
            return step();
        } catch (const error& problem) {
            if (problem.code() == errc::parse) throw;
            fail_at(problem.what(), start);
        }
    }

    static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
    bool at_end() const { return at_ >= text_.size(); }
    char peek() {
        skip();
        return at_end() ? '\0' : text_[at_];
    }
    std::size_t skip() {
        while (!at_end() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
            ++at_;
        return at_;
    }
    void expect(char c) {
        if (peek() != c) fail_at(fmt::format("'{}' is expected here", c));
        ++at_;
    }
    [[noreturn]] void fail_at(const std::string& what) { fail_at(what, at_); }
    [[noreturn]] void fail_at(const std::string& what, std::size_t place) {
        std::string line(text_);
        for (char& c : line)
            if (c == '\n' || c == '\t' || c == '\r') c = ' ';
        fail(errc::parse, fmt::format("kernel expression, character {}: {}\n  {}\n  {}^", columns_before(place) + 1,
                                      what, line, std::string(columns_before(place), ' ')));
    }
    // The character at the current position, which may have several bytes of UTF-8.
    std::string_view character() const {
        std::size_t end = at_ + 1;
        while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0) == 0x80) ++end;
        return text_.substr(at_, end - at_);
    }
    // The number of characters before a byte; continuation bytes of UTF-8 do not count.
    std::size_t columns_before(std::size_t place) const {
        std::size_t count = 0;
        for (std::size_t i = 0; i < place && i < text_.size(); ++i)
            count += (static_cast<unsigned char>(text_[i]) & 0xC0) != 0x80;
        return count;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int depth_ = 0;
    int parts_ = 0;
};

}  // namespace

kernel parse_kernel(std::string_view text) { return parser(text).parse(); }

kernel kernel::parse(std::string_view text) { return parse_kernel(text); }

}  // namespace mercer
