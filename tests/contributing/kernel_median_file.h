template <>
struct file_form<kernel_median_model> {
    static constexpr std::string_view format = "mercer-kernel-median-model";
    static constexpr int version = 1;

    static void parts(auto& a, auto& m) {
        a.part(m.median);  // a kernel_expansion lists its own parts
        a.status(m.status);
        a.list("rounds", m.distances);  // the sum of the distances after each iteration
        a.check(m.median.functions() == 1, "{} medians where there is one", m.median.functions());
        a.check_finite(m.distances, "a sum of distances");
    }
};
template struct model_file<kernel_median_model>;
