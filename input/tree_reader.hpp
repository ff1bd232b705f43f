#pragma once
/// Reads a Scenario from a tree, key by key, and says what is wrong with each.

#include <string>
#include <string_view>
#include <vector>

#include "input/diagnostics.hpp"
#include "input/key_visitor.hpp"
#include "input/yaml_tree.hpp"

namespace mpcflow::input {

/// Sets what the tree gives and leaves the rest; errors go to the diagnostics: values of the wrong type
/// or out of range, keys that must be given and are not, keys that nothing asked for.
class TreeReader final : public KeyVisitor {
public:
    TreeReader(const Node& root, Diagnostics& diagnostics);

    /// Reports the keys at the root that nothing asked for; after the walk.
    void finish();

    void enter_section(const Key& key) override;
    void leave_section() override;
    bool enter_optional_section(const Key& key, bool exists) override;
    bool enter_section_or_word(const Key& key, std::size_t& index,
                               std::span<const std::string_view> words) override;
    std::size_t enter_list(const Key& key, std::size_t size) override;
    void enter_item(std::size_t index) override;
    void leave_item() override;
    void leave_list() override;
    void flag(const Key& key, bool& value) override;
    void text(const Key& key, std::string& value, std::size_t longest) override;
    void real(const Key& key, double& value, const RealRange& range) override;
    void real_if_given(const Key& key, double& value, const RealRange& range) override {
        real(key, value, range);
    }
    void reals(const Key& key, std::array<double, 3>& values, const RealRange& range) override;
    void pair(const Key& key, std::array<double, 2>& values, const RealRange& range) override;
    void real_or_reals(const Key& key, RealOrReals& value, const RealRange& range) override;
    void whole(const Key& key, std::int64_t& value, const IntegerRange& range) override;
    void integers(const Key& key, std::array<int, 3>& values, const IntegerRange& range) override;
    void integer_or_auto(const Key& key, int& value, const IntegerRange& range) override;
    void integers_or_auto(const Key& key, std::array<int, 3>& values, const IntegerRange& range) override;
    void one_of(const Key& key, std::size_t& index, std::span<const std::string_view> names) override;
    void some_of(const Key& key, std::span<const NamedFlag> names) override;
    void faces(const Key& key, AxisFaces& value) override;
    void device(const Key& key, DeviceChoice& value) override;
    [[nodiscard]] bool is_given(const Key& key, bool exists) override;
    void without(const Key& key, const std::string& why) override;

private:
    /// The section that is being read.
    struct Level {
        const Node* node;  ///< null pointer: the section is not there
        Place place;
        std::string path;
        bool is_broken;  ///< it is there, but is no section; that has been said
        std::vector<std::string> known;
    };

    [[nodiscard]] std::string path_of(const Key& key) const;
    /// The node of a key; null pointer where it is not given. `allowed` says what it should be.
    const Node* find(const Key& key, const std::string& allowed);
    /// The node of a key if it is a scalar, else null pointer.
    const Node* find_scalar(const Key& key, const std::string& allowed);
    void enter(const Node* node, const std::string& path);
    void sheared_faces(const Key& key, AxisFaces& value);
    void face(const Key& key, Face& value);
    void wrong(const Node& node, const std::string& path, std::string_view problem,
               const std::string& allowed);
    void report_unknown();

    [[nodiscard]] bool read_real(const Node& node, const std::string& path, double& value,
                                 const RealRange& range);
    [[nodiscard]] bool read_integer(const Node& node, const std::string& path, std::int64_t& value,
                                    const IntegerRange& range);
    template <class Read>
    void read_list(const Node* node, const Key& key, const std::string& allowed, std::size_t count,
                   Read read_item);

    void read_integers(const Node* node, const Key& key, const std::string& allowed,
                       std::array<int, 3>& values, const IntegerRange& range);

    Diagnostics& diagnostics_;
    std::vector<Level> levels_;
    std::vector<const Node*> lists_;
};

}  // namespace mpcflow::input
