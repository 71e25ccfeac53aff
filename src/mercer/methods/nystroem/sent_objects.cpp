#include "mercer/methods/nystroem/sent_objects.h"

#include "mercer/base/communicator.h"
#include "mercer/methods/codec.h"

namespace mercer {

struct sent_objects {
    dataset x;
};
template <>
struct file_form<sent_objects> {
    static constexpr std::string_view format = "mercer-objects";
    static constexpr int version = 1;
    static void parts(auto& a, auto& m) { a.objects("objects", m.x); }
};
template struct model_file<sent_objects>;

std::string packed(const dataset& x) { return x.size() == 0 ? std::string() : model_file<sent_objects>::bytes({x}); }
dataset unpacked(std::string_view bytes) {
    return bytes.empty() ? dataset() : model_file<sent_objects>::parse(bytes, "objects of another process").x;
}

dataset joined(const process_group& group, const dataset& mine) {
    dataset out;
    for (const std::string& each : group.all(packed(mine))) {
        const dataset some = unpacked(each);
        if (some.size() > 0) out = out.size() == 0 ? some : concatenate(out, some);
    }
    return out;
}

}  // namespace mercer
