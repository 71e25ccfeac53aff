#include "mercer/model_selection/choose_automatically.h"

#include <gtest/gtest.h>

#include <string>

#include "contracts/errors.h"

namespace mercer::testing {
namespace {

api::task_choice task_of(std::vector<double> y, std::vector<std::string> names = {}) {
    table data;
    data.y = std::move(y);
    data.class_names = std::move(names);
    return api::choose_task(data);
}

TEST(automatic, takes_names_and_few_whole_numbers_for_classes) {
    EXPECT_EQ(task_of({}).task, "one_class");
    EXPECT_EQ(task_of({0, 1, 0}, {"a", "b"}).task, "classification");
    EXPECT_EQ(task_of({-1, 1, 1}).task, "classification");
    std::vector<double> grades, counts, fractions;
    for (int i = 0; i < 60; ++i) {
        grades.push_back(i % 6);
        counts.push_back(i);
        fractions.push_back(i % 2 + 0.5);
    }
    EXPECT_EQ(task_of(grades).task, "classification");
    EXPECT_EQ(task_of(counts).task, "regression");
    EXPECT_EQ(task_of(fractions).task, "regression");
    grades.push_back(17);  // comes once
    EXPECT_EQ(task_of(grades).task, "regression");
}

TEST(automatic, finds_the_target_by_its_name_or_takes_the_last_column) {
    const auto chosen = [](std::string_view text) {
        return api::choose_target(text_table::parse(file_contents("t", text, nullptr))).column;
    };
    EXPECT_EQ(chosen("Class,x,z\n1,2,3\n"), 0u);
    EXPECT_EQ(chosen("a,target,y\n1,2,3\n"), 1u);
    EXPECT_EQ(chosen("a,b,price\n1,2,3\n"), 2u);
    EXPECT_EQ(chosen("1,2,3\n4,5,6\n"), 2u);
}

TEST(automatic, leaves_out_rows_without_a_target_and_says_so) {
    std::string text = "x,y\n";
    for (int i = 0; i < 40; ++i) text += std::to_string(i) + ".5," + (i == 3 ? "" : i % 2 ? "up" : "down") + "\n";
    const api::automatic_data ready = api::prepare(file_contents("t.csv", text, nullptr), {});
    EXPECT_EQ(ready.data.x.size(), 39);
    EXPECT_EQ(ready.open.method, "svc");
    EXPECT_EQ(ready.open.kernel, "rbf(gamma=?)");
    EXPECT_EQ(std::get<std::string>(*ready.choices.find("target")), "y (by its name); 1 rows without it left out");
    expect_error(errc::data, "the target column is constant, up, so it cannot be",
                 [] { api::prepare(file_contents("t.csv", "x,y\n1,up\n2,up\n", nullptr), {}); });
    expect_error(errc::invalid_argument,
                 "option 'task' must be 'classification', 'regression' or 'one_class', got 'guess'",
                 [&] { api::prepare(file_contents("t.csv", text, nullptr), {.task = "guess"}); });
}

TEST(automatic, refuses_a_supervised_task_on_data_without_targets) {
    std::string table_text = "a,b\n", lines;
    for (int i = 0; i < 20; ++i) {
        table_text += std::to_string(i % 7) + "," + std::to_string(i * i % 11) + "\n";
        lines += std::string(1 + i % 5, "ACGT"[i % 4]) + "CGT\n";
    }
    const file_contents numbers("x.csv", table_text, nullptr), strings("s.strings", lines, nullptr);
    for (const file_contents& file : {numbers, strings}) {
        for (const char* task : {"classification", "regression"})
            expect_error(errc::data, std::string("task '") + task + "' needs targets",
                         [&] { api::prepare(file, {.target = "none", .task = task}); });
        EXPECT_EQ(api::prepare(file, {.target = "none", .task = "one_class"}).open.method, "one_class");
    }
}

}  // namespace
}  // namespace mercer::testing
