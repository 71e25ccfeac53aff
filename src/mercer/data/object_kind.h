// Kinds of object other than vectors, such as strings or sets. A kind is a value class that contains n objects,
// satisfies the concept `object_collection` and is listed in data/all_kinds.h. No other code of the data folder names
// the kinds.
#pragma once

#include <fmt/format.h>

#include <compare>
#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/matrix_view.h"

namespace mercer {

// The name of a kind of object: the kind that a kernel compares or that a data set contains.
class object_kind {
public:
    constexpr explicit object_kind(const char* name) : name_(name) {}
    // `any`: the kernel does not depend on its arguments (a constant).
    static const object_kind any, vectors;

    friend constexpr bool operator==(object_kind a, object_kind b) {
        return std::string_view(a.name_) == std::string_view(b.name_);
    }
    constexpr const char* name() const noexcept { return name_; }

private:
    const char* name_;
};
inline constexpr object_kind object_kind::any{"any"}, object_kind::vectors{"vectors"};
constexpr const char* name(object_kind kind) noexcept { return kind.name(); }

// Writes the numbers of objects to the body of a model file, little-endian, as they are in memory.
class byte_writer {
public:
    virtual ~byte_writer() = default;
    template <class T>
    void write_numbers(std::span<const T> values) {
        append(values.data(), values.size_bytes());
    }
    template <class T>
    void write_numbers(const std::vector<T>& values) {
        write_numbers(std::span<const T>(values));
    }

protected:
    virtual void append(const void* bytes, std::size_t count) = 0;
};

// Reads the numbers of a model file that byte_writer wrote.
class byte_reader {
public:
    virtual ~byte_reader() = default;
    template <class T>
    std::vector<T> read_numbers(index count) {
        const std::string_view bytes = take(count, sizeof(T));
        std::vector<T> out(static_cast<std::size_t>(count));
        std::copy_n(bytes.data(), bytes.size(), reinterpret_cast<char*>(out.data()));
        return out;
    }
    std::string_view read_text(index count) { return take(count, 1); }
    // Reads `count` lengths and returns the count + 1 positions where objects of these lengths begin and end. Throws
    // errc::parse if a length is negative or the sum exceeds 2^48.
    std::vector<index> read_offsets(index count);

protected:
    // The next `count` numbers of `size` bytes each; throws if fewer are left.
    virtual std::string_view take(index count, std::size_t size) = 0;
};

// The interface of a kind of object:
//     kind             the name of the kind
//     default_kernel   the kernel that is used if the user names none
//     gather           the selected objects, in the order of the selection
//     followed_by      these objects and then those of the argument
//     compare          a total order; equivalent objects are equal
//     text             an object as one line of text; equal objects have equal texts
//     write, read      the form in a model file
// Copies must be cheap, so they share the objects.
template <class Kind>
concept object_collection = requires(const Kind& x, index i, const row_set& which, byte_writer& to, byte_reader& from) {
    { Kind::kind } -> std::convertible_to<object_kind>;
    { Kind::default_kernel } -> std::convertible_to<const char*>;
    { x.size() } -> std::same_as<index>;
    { x.gather(which) } -> std::same_as<Kind>;
    { x.followed_by(x) } -> std::same_as<Kind>;
    { x.compare(i, x, i) } -> std::convertible_to<std::partial_ordering>;
    { x.text(i) } -> std::same_as<std::string>;
    x.write(to);
    { Kind::read(from, i) } -> std::same_as<Kind>;
};

// n objects of one kind, where the kind is known only at run time. Copies share the objects.
class objects {
public:
    template <object_collection Kind>
    objects(Kind items) : held_(std::make_shared<const holder<Kind>>(std::move(items))) {}  // NOLINT: each kind is some

    template <object_collection Kind>
    const Kind* as() const {
        const auto* found = dynamic_cast<const holder<Kind>*>(held_.get());
        return found ? &found->items : nullptr;
    }
    object_kind kind() const { return held_->kind(); }
    const char* default_kernel() const { return held_->default_kernel(); }
    index size() const { return held_->size(); }
    objects gather(const row_set& which) const { return held_->gather(which); }
    objects followed_by(const objects& other) const { return held_->followed_by(*other.held_); }
    std::partial_ordering compare(index i, const objects& other, index j) const {
        return held_->compare(i, *other.held_, j);
    }
    std::string text(index i) const { return held_->text(i); }
    void write(byte_writer& to) const { held_->write(to); }
    bool shares_with(const objects& other) const { return held_ == other.held_; }

private:
    struct any_kind {
        virtual ~any_kind() = default;
        virtual object_kind kind() const = 0;
        virtual const char* default_kernel() const = 0;
        virtual index size() const = 0;
        virtual objects gather(const row_set& which) const = 0;
        // The caller guarantees that `other` is of the same kind.
        virtual objects followed_by(const any_kind& other) const = 0;
        virtual std::partial_ordering compare(index i, const any_kind& other, index j) const = 0;
        virtual std::string text(index i) const = 0;
        virtual void write(byte_writer& to) const = 0;
    };
    template <class Kind>
    struct holder final : any_kind {
        explicit holder(Kind all) : items(std::move(all)) {}
        object_kind kind() const override { return Kind::kind; }
        const char* default_kernel() const override { return Kind::default_kernel; }
        index size() const override { return items.size(); }
        objects gather(const row_set& which) const override { return items.gather(which); }
        objects followed_by(const any_kind& other) const override { return items.followed_by(same_kind(other)); }
        std::partial_ordering compare(index i, const any_kind& other, index j) const override {
            return items.compare(i, same_kind(other), j);
        }
        std::string text(index i) const override { return items.text(i); }
        void write(byte_writer& to) const override { items.write(to); }
        static const Kind& same_kind(const any_kind& other) { return dynamic_cast<const holder&>(other).items; }

        Kind items;
    };

    std::shared_ptr<const any_kind> held_;
};

// n items in one shared vector: the base class of most kinds.
template <class Kind, class Item>
class item_list {
public:
    item_list() = default;
    explicit item_list(std::vector<Item> items) : items_(std::make_shared<const std::vector<Item>>(std::move(items))) {}

    index size() const { return items_ ? static_cast<index>(items_->size()) : 0; }
    const Item& operator[](index i) const { return (*items_)[static_cast<std::size_t>(i)]; }

    Kind gather(const row_set& which) const {
        std::vector<Item> chosen;
        chosen.reserve(static_cast<std::size_t>(which.size()));
        for (index i = 0; i < which.size(); ++i) chosen.push_back((*this)[which[i]]);
        return Kind(std::move(chosen));
    }
    Kind followed_by(const Kind& other) const {
        std::vector<Item> both;
        both.reserve(static_cast<std::size_t>(size() + other.size()));
        for (const item_list* part : {this, static_cast<const item_list*>(&other)})
            for (index i = 0; i < part->size(); ++i) both.push_back((*part)[i]);
        return Kind(std::move(both));
    }
    std::partial_ordering compare(index i, const Kind& other, index j) const { return (*this)[i] <=> other[j]; }

private:
    std::shared_ptr<const std::vector<Item>> items_;
};

inline std::vector<index> byte_reader::read_offsets(index count) {
    constexpr index many = index{1} << 48;
    std::vector<index> start{0};
    for (const index length : read_numbers<index>(count)) {
        if (length < 0 || length > many - start.back())
            fail(errc::parse, fmt::format("an object of length {}", length));
        start.push_back(start.back() + length);
    }
    return start;
}

}  // namespace mercer
