// Runs the contract on every registered kernel.
#include "contracts/kernel_contract.h"
#include "mercer/base/error.h"
#include "mercer/kernels/expression/listed_kernels.h"

namespace mercer::testing {
namespace {

TEST(kernel_contract, covers_every_registered_kernel) {
    for (const auto& each : kernel_registry())
        EXPECT_FALSE(kernel_cases_of(each.info.name).empty())
            << each.info.name << " has no definition in tests/contracts/reference.cpp";
}

class registered : public ::testing::TestWithParam<std::string> {
protected:
    template <class Check>
    void each(Check check) {
        for (const auto& s : kernel_cases_of(GetParam())) {
            generator random(7);
            check(s, random);
            if (HasFatalFailure()) return;
        }
    }
};

TEST_P(registered, follows_its_definition) {
    each([](const kernel_case& s, generator& random) {
        // Dense vectors, and vectors with densities on either side of the threshold for sparse evaluation.
        for (const double density : {1.0, 0.7, 0.4})
            expect_definition(s, objects_for(s, random, 29, {.density = density}),
                              objects_for(s, random, 40, {.density = density}));
    });
}

TEST_P(registered, gives_a_pair_alone_what_it_gives_it_in_a_block) {
    each([](const kernel_case& s, generator& random) {
        expect_pairs(s, objects_for(s, random, 12), objects_for(s, random, 15), 3);
    });
}

TEST_P(registered, is_symmetric) {
    each([](const kernel_case& s, generator& random) {
        const objects x = objects_for(s, random, 300), thin = objects_for(s, random, 150, {.density = 0.4});
        expect_symmetry<double>(s, x);
        expect_symmetry<float>(s, x);
        if (s.k.kind() == object_kind::vectors) expect_symmetry<double>(s, thin, storage::sparse);
    });
}

TEST_P(registered, has_the_diagonal_of_its_blocks) {
    each([](const kernel_case& s, generator& random) {
        const objects x = objects_for(s, random, 300), thin = objects_for(s, random, 150, {.density = 0.4});
        expect_diagonal<double>(s, x);
        expect_diagonal<float>(s, x);
        if (s.k.kind() == object_kind::vectors) expect_diagonal<double>(s, thin, storage::sparse);
    });
}

TEST_P(registered, gives_any_rows_and_columns) {
    each([](const kernel_case& s, generator& random) {
        const objects x = objects_for(s, random, 300, {.density = 0.5}),
                      z = objects_for(s, random, 270, {.density = 0.5});
        expect_selections<double>(s, x, z, random);
        if (s.k.kind() == object_kind::vectors) expect_selections<float>(s, x, z, random, storage::sparse);
    });
}

TEST_P(registered, does_not_depend_on_threads) {
    each([](const kernel_case& s, generator& random) {
        const objects x = objects_for(s, random, 400);
        expect_same_for_threads<double>(s, x);
        expect_same_for_threads<float>(s, x);
    });
}

TEST_P(registered, cannot_tell_twins_apart) {
    each([](const kernel_case& s, generator& random) {
        const objects x = objects_for(s, random, 60), thin = objects_for(s, random, 60, {.density = 0.4});
        expect_twins<double>(s, x);
        expect_twins<float>(s, x);
        if (s.k.kind() == object_kind::vectors) expect_twins<float>(s, thin, storage::sparse);
    });
}

TEST_P(registered, is_positive_semidefinite_where_proven) {
    each([](const kernel_case& s, generator& random) { expect_positive_semidefinite(s, objects_for(s, random, 60)); });
}

TEST_P(registered, reads_back_from_its_text) {
    each([](const kernel_case& s, generator& random) { expect_text_round_trip(s, objects_for(s, random, 20)); });
}

std::vector<std::string> all_names() {
    std::vector<std::string> names;
    for (const auto& each : kernel_registry()) names.push_back(each.info.name);
    return names;
}
INSTANTIATE_TEST_SUITE_P(kernels, registered, ::testing::ValuesIn(all_names()),
                         [](const auto& info) { return info.param; });

// Numbers of coordinates around the widths of SIMD vectors and tiles, with a kernel for each kind of statistic.
TEST(kernel_contract, holds_for_any_number_of_coordinates) {
    for (const index dims : {1, 2, 3, 4, 7, 8, 31, 32, 33, 100})
        for (const char* name : {"linear", "rbf", "laplacian", "intersection", "chi2", "all_subsets"}) {
            generator random(static_cast<std::uint64_t>(dims));
            const kernel_case s = kernel_cases_of(name)[0];
            expect_definition(s, objects_for(s, random, 13, {.dims = dims, .density = 0.5}),
                              objects_for(s, random, 18, {.dims = dims, .density = 0.5}));
        }
}

TEST(kernel_contract, holds_for_more_columns_than_a_panel_keeps) {
    for (const index dims : {4096, 4097, 6000})
        for (const char* name : {"linear", "rbf"}) {
            generator random(3);
            const kernel_case s = kernel_cases_of(name)[0];
            const vector_style style{.dims = dims, .density = 30.0 / static_cast<double>(dims)};
            const objects x = objects_for(s, random, 13, style), z = objects_for(s, random, 36, style);
            expect_reference(s, x, z,
                             block_of(evaluator<double>(s.k, vectors_of<double>(x, storage::sparse),
                                                        vectors_of<double>(z, storage::sparse))),
                             "wide");
            expect_reference(s, x, z,
                             block_of(evaluator<float>(s.k, vectors_of<float>(x, storage::sparse),
                                                       vectors_of<double>(z, storage::sparse))),
                             "wide float");
            expect_reference(s, x, z,
                             block_of(evaluator<double>(s.k, vectors_of<double>(x, storage::sparse),
                                                        vectors_of<double>(z, storage::dense))),
                             "wide against dense");
            expect_reference(s, x, z,
                             block_of(evaluator<double>(s.k, vectors_of<double>(x, storage::dense),
                                                        vectors_of<double>(z, storage::sparse))),
                             "dense against wide");
            expect_symmetry<double>(s, x, storage::sparse);
            expect_twins<float>(s, x, storage::sparse);
            expect_selections<double>(s, x, z, random, storage::sparse);
        }
}

// Two statistics with separate column tables in one expression.
TEST(kernel_contract, holds_for_two_wide_statistics_at_once) {
    generator random(5);
    objects x(40);
    for (auto& one : x)
        for (int length = 0; length < 300; ++length) one.string += static_cast<char>('a' + below(random, 20));
    const kernel_case s =
        sum(kernel_cases_of("spectrum")[2], kernel_cases_of("spectrum")[1]);  // k = 3: some 8000 words, k = 2: some 400
    const kernel_case t = sum(s, kernel_cases_of("spectrum")[3]);             // k = 8: some 20000
    for (const auto& each : {s, t}) {
        expect_reference(each, x, x, block_of(evaluator<double>(each.k, strings_of(x))), "wide strings");
        expect_same_for_threads<double>(each, x);
    }
}

// A file without the last features: sparse data with fewer columns on one side.
TEST(kernel_contract, takes_sparse_data_of_different_widths) {
    for (const char* name :
         {"linear", "rbf", "laplacian", "intersection", "chi2", "all_subsets", "periodic", "cosine", "poly"})
        for (const double density : {0.3, 1.0}) {
            generator random(11);
            const kernel_case s = kernel_cases_of(name)[0];
            objects x = objects_for(s, random, 20, {.dims = 3, .density = density}),
                    z = objects_for(s, random, 30, {.dims = 8, .density = density});
            const dataset few = data_for(s, x, storage::sparse), many = data_for(s, z, storage::sparse);
            for (auto& one : x) one.vector.resize(8, 0.0);
            expect_reference(s, x, z, block_of(evaluator<double>(s.k, few, many)), "fewer columns");
            expect_reference(s, z, x, block_of(evaluator<float>(s.k, many, few)), "more columns");
            EXPECT_EQ(block_of(evaluator<double>(s.k, few, many, 1 << 20)).rows(), 20);
        }
    generator random(13);
    const kernel_case last = on_columns(kernel_cases_of("rbf")[0], {0, 7});
    objects x = random_vectors(random, 9, {.dims = 3}), z = random_vectors(random, 9, {.dims = 8});
    const dataset few = vectors_of<double>(x, storage::sparse);
    for (auto& one : x) one.vector.resize(8, 0.0);
    expect_reference(last, x, z, block_of(evaluator<double>(last.k, few, vectors_of<double>(z, storage::sparse))),
                     "a column only one side has");
    EXPECT_THROW(evaluator<double>(kernel::parse("rbf()"),
                                   vectors_of<double>(random_vectors(random, 2, {.dims = 3}), storage::dense),
                                   vectors_of<double>(z, storage::dense)),
                 error);
}

}  // namespace
}  // namespace mercer::testing
