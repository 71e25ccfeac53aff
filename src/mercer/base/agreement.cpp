#include <algorithm>
#include <cstring>

#include "mercer/base/communicator.h"

namespace mercer {

double largest_of(const process_group* group, double mine) {
    if (!group) return mine;
    std::string bytes(sizeof mine, '\0');
    std::memcpy(bytes.data(), &mine, sizeof mine);
    double out = mine;
    for (const std::string& each : group->all(bytes)) {
        double other = 0;
        std::memcpy(&other, each.data(), sizeof other);
        if (other > out || out != out) out = other;
    }
    return out;
}

bool everywhere(const process_group* group, bool mine) {
    double not_so = mine ? 0 : 1;
    if (group) group->add(&not_so, 1);
    return not_so == 0;
}

}  // namespace mercer
