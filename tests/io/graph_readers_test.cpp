// Graphs from TUDataset folders and archives, JSON lines and GraphML.
#include <gtest/gtest.h>

#include <cstdio>

#include "mercer/data/graphs.h"
#include "mercer/io/graphml.h"
#include "mercer/io/json_graphs.h"
#include "mercer/io/read.h"
#include "mercer/io/tudataset.h"
#include "readers_support.h"

namespace mercer {
namespace {

using namespace testing_support;
using words = std::vector<std::string>;

std::string text(const table& t, index i) { return t.x.as<graphs>()->text(i); }

// A tar archive written by hand.
std::string tar_of(const std::vector<std::pair<std::string, std::string>>& files) {
    std::string out;
    for (const auto& [name, bytes] : files) {
        std::string header(512, '\0');
        char number[13];
        header.replace(0, name.size(), name);
        header.replace(100, 7, "0000644");
        std::snprintf(number, sizeof number, "%011lo", static_cast<unsigned long>(bytes.size()));
        header.replace(124, 11, number);
        header.replace(148, 8, "        ");
        header[156] = '0';
        header.replace(257, 8, std::string("ustar\00000", 8));
        unsigned sum = 0;
        for (const char c : header) sum += static_cast<unsigned char>(c);
        std::snprintf(number, sizeof number, "%06o", sum);
        header.replace(148, 7, std::string(number, 6) + '\0');
        out += header + bytes + std::string((512 - bytes.size() % 512) % 512, '\0');
    }
    return out + std::string(1024, '\0');
}

using file_list = std::vector<std::pair<std::string, std::string>>;
// Two graphs, a path and an edge; then one without nodes.
file_list small_set() {
    return {{"S/S_A.txt", "1, 2\n2, 1\n2,3\n3, 2\n4, 5\n5, 4\n"},
            {"S/S_graph_indicator.txt", "1\n1\n1\n2\n2\n"},
            {"S/S_graph_labels.txt", "1\n-1\n1\n"},
            {"S/S_node_labels.txt", "7\n7\n8\n0\n1\n"},
            {"S/S_edge_labels.txt", "1\n1\n2\n2\n0\n0\n"},
            {"S/S_node_attributes.txt", "0.5, 1\n1, 2\n-1e1, 3\n0, 0\n4, 4\n"},
            {"S/README.txt", "not ours"}};
}
file_list with(file_list files, const std::string& name, const std::string& bytes) {
    for (auto& each : files)
        if (each.first == "S/S_" + name + ".txt") each.second = bytes;
    return files;
}

TEST(tudataset, archive_and_folder_give_the_same_graphs) {
    const table t = parse_tudataset(tar_of(small_set()), "s.tar");
    ASSERT_EQ(t.x.size(), 3);
    EXPECT_EQ(t.y, (std::vector<double>{1, -1, 1}));
    EXPECT_EQ(text(t, 0),
              R"({"nodes": [7, 7, 8], "edges": [[0, 1, 1], [1, 2, 2]], "attributes": [[0.5, 1], [1, 2], [-10, 3]]})");
    EXPECT_EQ(text(t, 1), R"({"nodes": [0, 1], "edges": [[0, 1]], "attributes": [[0, 0], [4, 4]]})");
    EXPECT_EQ(text(t, 2), R"({"nodes": 0, "edges": []})");
    const scratch_folder folder;
    std::filesystem::create_directory(folder.path("S"));
    for (const auto& [name, bytes] : small_set()) folder.write(name, bytes);
    const table again = read_table(folder.path("S"));
    for (index i = 0; i < 3; ++i) EXPECT_EQ(text(t, i), text(again, i));
    EXPECT_EQ(again.y, t.y);
    const table packed = read_table(folder.write("s.tar", tar_of(small_set())));
    EXPECT_EQ(packed.x.size(), 3);
    EXPECT_TRUE(parse_tudataset(tar_of(small_set()), "s.tar", {.labelled = false}).y.empty());
}

TEST(tudataset, only_edges_and_graphs_must_be_there) {
    const file_list few{{"S/S_A.txt", "1, 2\n"}, {"S/S_graph_indicator.txt", "1\n1\n3\n"}};
    const table t = parse_tudataset(tar_of(few), "s.tar");
    EXPECT_EQ(text(t, 0), R"({"nodes": 2, "edges": [[0, 1]]})");
    EXPECT_EQ(text(t, 1), R"({"nodes": 0, "edges": []})");
    EXPECT_EQ(t.x.size(), 3);
    EXPECT_TRUE(t.y.empty());
    EXPECT_EQ(failure([&] { parse_tudataset(tar_of({few[1]}), "s.tar"); }),
              "parse error: s.tar: expected a file NAME_A.txt of a graph data set, got none");
}

TEST(tudataset, faults) {
    const auto fault = [](const std::string& name, const std::string& bytes) {
        return failure([&] { parse_tudataset(tar_of(with(small_set(), name, bytes)), "s.tar"); });
    };
    EXPECT_EQ(fault("A", "1, 2\n2, 9\n"),
              "parse error: s.tar/S/S_edge_labels.txt:6:2: expected 2 lines, one for each edge, got 6");
    EXPECT_EQ(fault("A", "1, 2\n2, 1\n2, 9\n3, 2\n4, 5\n5, 4\n"),
              "parse error: s.tar/S/S_A.txt:3:3: expected the number of a node from 1 to 5, got ' 9'");
    EXPECT_EQ(fault("A", "1, 2\n2, 1\n2  3\n3, 2\n4, 5\n5, 4\n"),
              "parse error: s.tar/S/S_A.txt:3:1: expected the number of a node from 1 to 5, got '2  3'");
    EXPECT_EQ(fault("A", "1, 2\n2, 1\n3, 4\n3, 2\n4, 5\n5, 4\n"),
              "parse error: s.tar/S/S_A.txt:3:1: expected two nodes of one graph (these are of graphs 1 and 2), got "
              "'3, 4'");
    EXPECT_EQ(fault("graph_indicator", "1\n1\nx\n2\n2\n"),
              "parse error: s.tar/S/S_graph_indicator.txt:3:1: expected the number of a graph from 1 to 3, got 'x'");
    EXPECT_EQ(fault("node_labels", "1\n2\n"),
              "parse error: s.tar/S/S_node_labels.txt:2:2: expected 5 lines, one for each node, got 2");
    EXPECT_EQ(fault("node_attributes", "0.5, 1\n1, 2\n-1, u\n0, 0\n4, 4\n"),
              "parse error: s.tar/S/S_node_attributes.txt:3:5: expected a number, got 'u'");
    EXPECT_EQ(fault("graph_indicator", ""),
              "parse error: s.tar/S/S_A.txt:1:1: expected the number of a node from 1 to 0, got '1, 2'");
    const std::string whole = tar_of(small_set());
    const auto cut = [&](std::size_t bytes) {
        return failure([&] { parse_tudataset(whole.substr(0, bytes), "s.tar"); });
    };
    EXPECT_EQ(cut(530), "parse error: s.tar: byte 0: expected a complete file of a tar archive");
    EXPECT_EQ(cut(1100), "parse error: s.tar: byte 1024: expected a header of 512 bytes of a tar archive");
    EXPECT_EQ(cut(1024), "parse error: s.tar: expected a file NAME_graph_indicator.txt of a graph data set, got none");
    std::string damaged = whole;
    damaged[1024] = 'T';
    EXPECT_EQ(
        failure([&] { parse_tudataset(damaged, "s.tar"); }),
        "parse error: s.tar: byte 1024: expected a header with the mark 'ustar' and a valid checksum of a tar archive");
}

TEST(graph_lines, all_members) {
    const table t = parse_graph_lines(
        R"({"nodes": ["C", 2, "-3"], "edges": [[0, 1], [2, 1, "x"]], "label": "toxic", "id": {"a": [1, null, "}"]}})"
        "\n\n"
        R"({"label": "safe", "attributes": [[1, 2.5], [0, -0.0]], "edges": [[1, 0], [0, 0]], "nodes": 2, "directed": true})"
        "\r\n",
        "f");
    ASSERT_EQ(t.x.size(), 2);
    EXPECT_EQ(t.class_names, (words{"safe", "toxic"}));
    EXPECT_EQ(t.y, (std::vector<double>{1, 0}));
    const graph& g = (*t.x.as<graphs>())[0];
    EXPECT_EQ(g.label(0), label_of("C"));
    EXPECT_EQ(g.label(1), 2);
    EXPECT_EQ(g.label(2), -3);
    EXPECT_EQ(g.edges(), (std::vector<graph_edge>{{0, 1, 0}, {1, 2, label_of("x")}}));
    EXPECT_EQ(text(t, 1),
              R"({"nodes": 2, "directed": true, "edges": [[0, 0], [1, 0]], "attributes": [[1, 2.5], [0, 0]]})");
}

TEST(graph_lines, takes_the_text_of_graphs) {
    testing_support::scratch_folder folder;
    const std::string lines =
        R"({"nodes": [4, 5], "directed": true, "edges": [[1, 0, 3]], "attributes": [[0.1], [1e-300]]})"
        "\n";
    EXPECT_EQ(text(parse_graph_lines(lines, "f"), 0) + "\n", lines);
    EXPECT_EQ(read_table(folder.write("g.jsonl", lines)).x.kind(), graphs::kind) << "by its first line";
}

TEST(graph_lines, faults) {
    const auto fault = [](const std::string& line) {
        return failure([&] { parse_graph_lines("{\"nodes\": 1}\n" + line, "f"); });
    };
    EXPECT_EQ(fault("[1]"), "parse error: f:2:1: expected an object, got '[1'");
    EXPECT_EQ(fault("{}"), "parse error: f:2:1: expected a member \"nodes\" of the graph, got none");
    EXPECT_EQ(fault("{\"nodes\": 2, \"edges\": [[0, 2]]}"),
              "parse error: f:2:1: an edge leads from node 0 to node 2, but the graph has nodes 0 to 1");
    EXPECT_EQ(fault("{\"nodes\": 2, \"edges\": [[0]]}"),
              "parse error: f:2:24: expected an edge [from, to] or [from, to, label], got '[0'");
    EXPECT_EQ(fault("{\"nodes\": 2, \"edges\": [[0, 1.5]]}"),
              "parse error: f:2:28: expected the number of a node, from 0, got '1.5'");
    EXPECT_EQ(fault("{\"nodes\": -1}"),
              "parse error: f:2:11: expected the list of the labels of the nodes, or the number of nodes "
              "(at most 1000000), got '-1'");
    EXPECT_EQ(fault("{\"nodes\": 2, \"attributes\": [[1], [1, 2]]}"),
              "parse error: f:2:34: expected 1 numbers like the first node, got '[1'");
    EXPECT_EQ(fault("{\"nodes\": 1} x"), "parse error: f:2:14: expected the end of the line, got 'x'");
    EXPECT_EQ(fault("{\"nodes\": 1"), "parse error: f:2:12: expected ',' or '}', got the end");
    EXPECT_EQ(fault("{\"nodes\": 1, \"label\": 3}"),
              "parse error: f:2:23: expected no label of this graph, because the first graph has none");
    EXPECT_EQ(failure([] { parse_graph_lines("\n", "f"); }), "bad data: f: expected at least one graph, got none");
    EXPECT_EQ(failure([] {
                  parse_graph_lines(R"({"nodes": 1, "label": "c"})", "f", {.classes = {"a", "b"}});
              }),
              "bad data: f:1:23: expected one of the 2 known classes, got 'c'");
    EXPECT_NE(fault("{\"nodes\": 1, \"x\": " + std::string(200, '[')).find("at most 100 levels of nested brackets"),
              std::string::npos);
}

const char* const two_graphs = R"(<?xml version="1.0" encoding="UTF-8"?>
<!-- a comment with <tags> -->
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="node" attr.name="label" attr.type="string"><default>C</default></key>
  <key id="d1" for="edge" attr.name="label" attr.type="int"/>
  <key id="d2" for="graph" attr.name="label" attr.type="string"/>
  <key id="d3" for="node" attr.name="charge" attr.type="double"><default>0.5</default></key>
  <key id="d4" for="node" attr.name="colour" attr.type="string"/>
  <graph id="one" edgedefault="undirected">
    <data key="d2">a &amp; b</data>
    <edge source="n0" target="n&#49;"><data key="d1">2</data></edge>
    <node id="n0"><data key="d4">red</data></node>
    <node id="n1"><data key="d0">O</data><data key="d3">-1</data></node>
  </graph>
  <graph edgedefault="directed"><data key="d2"><![CDATA[x]]></data>
    <node id="n0"/><node id='n1'/><edge source="n1" target="n0" directed="true"/>
  </graph>
</graphml>
)";

TEST(graphml, several_graphs_in_a_file) {
    const table t = parse_graphml(two_graphs, "f");
    ASSERT_EQ(t.x.size(), 2);
    EXPECT_EQ(t.class_names, (words{"a & b", "x"}));
    const graph& g = (*t.x.as<graphs>())[0];
    EXPECT_EQ(g.label(0), label_of("C"));
    EXPECT_EQ(g.label(1), label_of("O"));
    EXPECT_EQ(g.edges(), (std::vector<graph_edge>{{0, 1, 2}}));
    EXPECT_EQ(g.values(0)[0], 0.5);
    EXPECT_EQ(g.values(1)[0], -1);
    EXPECT_TRUE((*t.x.as<graphs>())[1].directed());
    EXPECT_EQ((*t.x.as<graphs>())[1].edges(), (std::vector<graph_edge>{{1, 0, 0}}));
}

TEST(graphml, a_file_a_graph) {
    const scratch_folder folder;
    const auto one = [](const char* label) {
        return std::string(
                   R"(<graphml><key id="y" for="graph" attr.name="label"/><graph edgedefault="undirected"><data key="y">)") +
               label + R"(</data><node id="a"/></graph></graphml>)";
    };
    folder.write("b.graphml", one("2"));
    folder.write("a.graphml", one("1"));
    const table t = read_table(folder.path(""));
    EXPECT_EQ(t.y, (std::vector<double>{1, 2})) << "in the order of the names";
    EXPECT_EQ(t.x.size(), 2);
}

TEST(graphml, faults) {
    const auto fault = [](const std::string& inside) {
        return failure([&] { parse_graphml("<graphml>\n<graph edgedefault='undirected'>" + inside, "f"); });
    };
    const std::string end = "</graph></graphml>";
    EXPECT_EQ(fault(end), "no error");
    EXPECT_EQ(fault("</graf>"), "parse error: f:2:33: expected </graph>, got '</graf>'");
    EXPECT_EQ(fault(""), "parse error: f:2:33: expected </graph>, got the end");
    EXPECT_EQ(fault("<node/>" + end),
              "parse error: f:2:33: expected <node> with an attribute id, got '<node/></graph></graphml>'");
    EXPECT_EQ(fault("<node id='a'/>\n<edge source='a' target='b'/>" + end),
              "parse error: f:3:1: expected an edge between nodes of the graph, got '<edge source='a' "
              "target='b'/></graph></g...'");
    EXPECT_EQ(fault("<node id='a'/><node id='a'/>" + end).substr(0, 70),
              "parse error: f:2:47: expected a different id for every node of a graph");
    EXPECT_EQ(fault("<node id='&nbsp;'/>" + end).substr(0, 66),
              "parse error: f:2:43: expected a character such as &amp; or &#233;,");
    EXPECT_EQ(failure([] { parse_graphml("<html/>", "f"); }), "parse error: f:1:1: expected <graphml>, got '<html/>'");
    EXPECT_EQ(failure([] { parse_graphml("<graphml/>", "f"); }), "bad data: f: expected at least one graph, got none");
    EXPECT_EQ(failure([] { parse_graphml("", "f"); }), "parse error: f:1:1: expected an element, got the end");
}

}  // namespace
}  // namespace mercer
