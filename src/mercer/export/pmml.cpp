#include "mercer/export/pmml.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/methods/svm/libsvm_model.h"
#include "mercer/methods/svm/svm_model.h"

namespace mercer::api {
namespace {

using rule = model_computation::rule;
using probability_form = model_computation::probability;

std::string digits(double value) { return fmt::format("{:.17g}", value); }
std::string attribute(const char* name, const std::string& value) {
    return fmt::format(" {}=\"{}\"", name, xml_escaped(value));
}
std::string attribute(const char* name, double value) { return attribute(name, digits(value)); }

class pmml_writer {
public:
    pmml_writer(const model_computation& c, const std::string& target) : c_(c) {
        const bool named = static_cast<index>(c.feature_names.size()) == c.dims;
        std::set<std::string> taken;
        for (index a = 0; a < c.dims; ++a) {
            std::string name = named ? c.feature_names[static_cast<std::size_t>(a)] : fmt::format("x{}", a + 1);
            while (!taken.insert(name).second) name += "_";
            fields_.push_back(name);
        }
        target_ = target.empty() ? "y" : target;
        while (!taken.insert(target_).second) target_ += "_";
        for (const std::string& field : fields_) {
            std::string name = c.shift.empty() ? field : field + " scaled";
            while (!c.shift.empty() && !taken.insert(name).second) name += "_";
            model_fields_.push_back(name);
        }
    }

    std::string write() const {
        if (c_.gives == target_kind::none || (c_.labels.empty() && c_.functions() != 1))
            fail_unsupported(
                fmt::format("a model of {} predicts {} numbers, and PMML supports one", c_.method, c_.functions()));
        if (c_.decision == rule::neighbours || c_.decision == rule::logarithm ||
            (c_.decision == rule::exponential && c_.k))
            fail_unsupported(fmt::format("PMML does not support {}", c_.method));
        const std::string body = c_.k || c_.decision == rule::votes ? svm_model_element() : regression();
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
               "<PMML xmlns=\"http://www.dmg.org/PMML-4_4\" version=\"4.4\">\n" +
               fmt::format("<Header{}><Application name=\"mercer\"/></Header>\n",
                           attribute("description", c_.method + (c_.k ? " with " + c_.kernel_text : ""))) +
               dictionary() + body + "</PMML>\n";
    }

private:
    [[noreturn]] static void fail_unsupported(const std::string& why) {
        fail(errc::unsupported, fmt::format("the model cannot be written as PMML: {}", why));
    }
    bool classifies() const { return !c_.labels.empty(); }

    std::string dictionary() const {
        std::string out = fmt::format("<DataDictionary numberOfFields=\"{}\">\n", fields_.size() + 1);
        for (const std::string& field : fields_)
            out += fmt::format("<DataField{} optype=\"continuous\" dataType=\"double\"/>\n", attribute("name", field));
        if (!classifies()) {
            out +=
                fmt::format("<DataField{} optype=\"continuous\" dataType=\"double\"/>\n", attribute("name", target_));
        } else {
            out += fmt::format("<DataField{} optype=\"categorical\" dataType=\"string\">", attribute("name", target_));
            for (const std::string& label : c_.label_texts())
                out += fmt::format("<Value{}/>", attribute("value", label));
            out += "</DataField>\n";
        }
        return out + "</DataDictionary>\n";
    }

    // Writes the fields that the model reads, and (x - shift)·factor + base of each field.
    std::string inputs() const {
        std::string out = "<MiningSchema>\n";
        for (const std::string& field : fields_) out += fmt::format("<MiningField{}/>\n", attribute("name", field));
        out += fmt::format("<MiningField{} usageType=\"target\"/>\n</MiningSchema>\n", attribute("name", target_));
        if (c_.shift.empty()) return out;
        out += "<LocalTransformations>\n";
        const auto applied = [](const char* what, const std::string& to, double number) {
            return fmt::format("<Apply function=\"{}\">{}<Constant dataType=\"double\">{}</Constant></Apply>", what, to,
                               digits(number));
        };
        for (std::size_t a = 0; a < fields_.size(); ++a) {
            const std::string field = fmt::format("<FieldRef{}/>", attribute("field", fields_[a]));
            out += fmt::format("<DerivedField{} optype=\"continuous\" dataType=\"double\">{}</DerivedField>\n",
                               attribute("name", model_fields_[a]),
                               applied("+", applied("*", applied("-", field, c_.shift[a]), c_.factor[a]), c_.base[a]));
        }
        return out + "</LocalTransformations>\n";
    }

    std::string table(index function, const std::string& category) const {
        std::string out = fmt::format("<RegressionTable{}{}>\n",
                                      attribute("intercept", c_.offset[static_cast<std::size_t>(function)]),
                                      category.empty() ? "" : attribute("targetCategory", category));
        for (index a = 0; a < c_.dims; ++a)
            out +=
                fmt::format("<NumericPredictor{}{}/>\n", attribute("name", model_fields_[static_cast<std::size_t>(a)]),
                            attribute("coefficient", c_.coef(a, function)));
        return out + "</RegressionTable>\n";
    }

    std::string regression() const {
        const bool likely =
            c_.probability_form == probability_form::logistic || c_.probability_form == probability_form::softmax;
        std::string out = fmt::format("<RegressionModel functionName=\"{}\" normalizationMethod=\"{}\"{}>\n{}",
                                      classifies() ? "classification" : "regression",
                                      likely                             ? "softmax"
                                      : c_.decision == rule::exponential ? "exp"
                                                                         : "none",
                                      attribute("modelName", c_.method), inputs());
        const std::vector<std::string> labels = c_.label_texts();
        if (c_.decision == rule::sign) {
            // The class with the largest value wins, the first one of equal values: f of the positive class against 0
            // of the other class. The class that wins at f = 0 comes first.
            const std::string other = fmt::format("<RegressionTable intercept=\"0\"{}/>\n",
                                                  attribute("targetCategory", labels[1 - c_.positive]));
            const std::string own = table(0, labels[c_.positive]);
            out += c_.zero_is_positive ? own + other : other + own;
        } else {
            for (index j = 0; j < c_.functions(); ++j)
                out += table(j, classifies() ? labels[static_cast<std::size_t>(j)] : "");
        }
        return out + "</RegressionModel>\n";
    }

    std::string kernel_element() const {
        if (!c_.k) return "<LinearKernelType/>\n";
        const auto known = libsvm_kernel::from_kernel(kernel::parse(c_.kernel_text));
        if (!known)
            fail_unsupported(
                fmt::format("PMML supports linear, polynomial, Gaussian and sigmoid kernels, not {}", c_.kernel_text));
        switch (known->type) {
            case libsvm_kernel::kind::linear: return "<LinearKernelType/>\n";
            case libsvm_kernel::kind::polynomial:
                return fmt::format("<PolynomialKernelType{}{}{}/>\n", attribute("gamma", known->gamma),
                                   attribute("coef0", known->coef0), attribute("degree", known->degree));
            case libsvm_kernel::kind::rbf:
                return fmt::format("<RadialBasisKernelType{}/>\n", attribute("gamma", known->gamma));
            default:
                return fmt::format("<SigmoidKernelType{}{}/>\n", attribute("gamma", known->gamma),
                                   attribute("coef0", known->coef0));
        }
    }

    std::string vectors() const {
        std::string out = fmt::format("<VectorDictionary numberOfVectors=\"{}\">\n<VectorFields numberOfFields=\"{}\">",
                                      c_.points.rows(), c_.dims);
        for (const std::string& field : model_fields_) out += fmt::format("<FieldRef{}/>", attribute("field", field));
        out += "</VectorFields>\n";
        for (index s = 0; s < c_.points.rows(); ++s) {
            out += fmt::format("<VectorInstance id=\"{}\"><Array type=\"real\" n=\"{}\">", s, c_.dims);
            for (index a = 0; a < c_.dims; ++a) out += (a ? " " : "") + digits(c_.points(s, a));
            out += "</Array></VectorInstance>\n";
        }
        return out + "</VectorDictionary>\n";
    }

    // Writes function j, multiplied by `sign`.
    std::string function(index j, double sign, const std::string& attributes) const {
        std::string used, values;
        index count = 0;
        for (index s = 0; s < c_.coef.rows(); ++s) {
            if (c_.k && c_.coef(s, j) == 0) continue;
            used += fmt::format("<SupportVector vectorId=\"{}\"/>", s);
            values += fmt::format("<Coefficient{}/>", attribute("value", sign * c_.coef(s, j)));
            ++count;
        }
        std::string out = fmt::format("<SupportVectorMachine{}>\n", attributes);
        if (c_.k)
            out += fmt::format(
                "<SupportVectors numberOfAttributes=\"{}\" numberOfSupportVectors=\"{}\">{}"
                "</SupportVectors>\n",
                c_.dims, count, used);
        return out +
               fmt::format("<Coefficients numberOfCoefficients=\"{}\"{}>{}</Coefficients>\n</SupportVectorMachine>\n",
                           count, attribute("absoluteValue", sign * c_.offset[static_cast<std::size_t>(j)]), values);
    }

    // PMML chooses the target category if f is smaller than the threshold, and for one against all the class of the
    // smallest f. (The attribute maxWins of version 4.1 inverts this, but not all readers know it.) So -f is written.
    std::string svm_model_element() const {
        std::string out = fmt::format(
            "<SupportVectorMachineModel functionName=\"{}\"{} threshold=\"0\" svmRepresentation=\"{}\"{}>\n{}{}{}",
            classifies() ? "classification" : "regression",
            classifies() ? fmt::format(" classificationMethod=\"{}\"",
                                       c_.decision == rule::largest ? "OneAgainstAll" : "OneAgainstOne")
                         : "",
            c_.k ? "SupportVectors" : "Coefficients", attribute("modelName", c_.method), inputs(), kernel_element(),
            vectors());
        const std::vector<std::string> labels = c_.label_texts();
        const auto classes = [&](std::size_t target, std::size_t other) {
            return attribute("targetCategory", labels[target]) + attribute("alternateTargetCategory", labels[other]);
        };
        if (!classifies()) {
            out += function(0, 1, "");
        } else if (c_.decision == rule::sign) {
            // f = 0 is not smaller than the threshold: PMML chooses the alternate target category.
            out += c_.zero_is_positive ? function(0, 1, classes(1 - c_.positive, c_.positive))
                                       : function(0, -1, classes(c_.positive, 1 - c_.positive));
        } else if (c_.decision == rule::largest) {
            for (index j = 0; j < c_.functions(); ++j)
                out += function(j, -1, attribute("targetCategory", labels[static_cast<std::size_t>(j)]));
        } else {
            class_problems{static_cast<index>(labels.size()), multiclass::one_vs_one}.for_each(
                [&](index p, index a, index b) {
                    out += function(p, -1, classes(static_cast<std::size_t>(a), static_cast<std::size_t>(b)));
                });
        }
        return out + "</SupportVectorMachineModel>\n";
    }

    const model_computation& c_;
    std::vector<std::string> fields_,
        model_fields_;  // names of the input fields, and of the scaled fields of the model
    std::string target_;
};

}  // namespace

std::string write_pmml(const model_computation& c, const std::string& target) { return pmml_writer(c, target).write(); }

bool pmml_omits_probabilities(const model_computation& c) {
    return c.probability_form == probability_form::platt ||
           (c.probability_form != probability_form::none && (c.k || c.decision == rule::votes));
}

}  // namespace mercer::api
