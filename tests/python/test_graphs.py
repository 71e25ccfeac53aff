"""Graphs as Python has them: networkx, tuples, dicts."""

import numpy as np
import pytest

import mercer
from mercer import SVC
from mercer import kernels

PATH = (3, [(0, 1), (1, 2)])
TRIANGLE = (3, [(0, 1), (1, 2), (2, 0)])


def gram(text, *graphs):
    return kernels.parse(text)(list(graphs))


def test_tuples():
    np.testing.assert_array_equal(gram("wl(h=1)", PATH, TRIANGLE), [[14, 12], [12, 18]])  # 9 + 4 + 1; 9 + 1·3; 9 + 9
    np.testing.assert_array_equal(gram("vertex_histogram()", (2, [], [1, "a"]), (2, np.array([[0, 1]]), ["a", "b"])), [[2, 1], [1, 2]])


def test_lists_of_edges():
    edges = [[(0, 1), (1, 2)], [(0, 1), (1, 2), (2, 0)], [], [(0, 1, "double")]]
    same = [PATH, TRIANGLE, (0, []), (2, [(0, 1, "double")])]
    np.testing.assert_array_equal(gram("wl(h=1)", *edges), gram("wl(h=1)", *same))
    with pytest.raises(TypeError, match="object 1 must be a graph"):
        gram("wl(h=1)", [(0, 1)], [1, 2])


def test_dicts():
    labelled = {"nodes": ["C", "O"], "edges": [(0, 1, "double")]}
    np.testing.assert_array_equal(gram("edge_histogram()", labelled, {"nodes": 2, "edges": [[0, 1]]}), [[1, 0], [0, 1]])
    one_way = {"nodes": 2, "edges": [(0, 1)], "directed": True}
    np.testing.assert_array_equal(gram("wl(h=1)", one_way), [[4 + 1 + 1]])


def test_networkx():
    networkx = pytest.importorskip("networkx")
    g = networkx.Graph()
    g.add_node("x", label="C")
    g.add_node("y", label="O")
    g.add_edge("y", "x", label=2)
    np.testing.assert_array_equal(gram("wl(h=2)", g, {"nodes": ["C", "O"], "edges": [(0, 1, 2)]}), np.full((2, 2), 6))
    directed = networkx.DiGraph([(0, 1)])
    np.testing.assert_array_equal(gram("wl(h=1)", directed), [[6]])


def test_networkx_is_not_asked_for():
    class Lookalike:
        nodes = {0: {}, 1: {}}
        adjacency = is_directed = staticmethod(lambda: False)

        def edges(self, data):
            return [(0, 1, {})]

    np.testing.assert_array_equal(gram("vertex_histogram()", Lookalike()), [[4]])


def test_attributes():
    g = {"nodes": 2, "edges": [], "attributes": [[0.0, 1.0], [5.0, 5.0]]}
    assert gram("propagation(t=0, w=0.001)", g, g).tolist() == [[2, 2], [2, 2]]


@pytest.mark.parametrize("kernel", ["wl(h=2)", "normalize(wl(h=1))", "wl(h=1) + graphlets()"])
def test_an_svc_tells_cycles_from_paths(kernel):
    cycles = [(n, [(v, (v + 1) % n) for v in range(n)]) for n in range(4, 14)]
    paths = [(n, [(v, v + 1) for v in range(n - 1)]) for n in range(4, 14)]
    # Ends of paths have a colour of their own, so some w of norm < 20 separates; an error would cost C, more than its half square.
    model = SVC(kernel=kernel, C=1e4).fit(cycles + paths, ["cycle"] * 10 + ["path"] * 10)
    assert model.score(cycles + paths, ["cycle"] * 10 + ["path"] * 10) == 1
    assert {tuple(sorted(each)) for each in map(dict.keys, model.support_vectors_)} == {("edges", "nodes")}


def test_faults():
    with pytest.raises(ValueError, match="graph 0: an edge leads from node 0 to node 3, but the graph has nodes 0 to 2"):
        gram("wl()", (3, [(0, 3)]))
    with pytest.raises(TypeError, match="object 1 must be a graph, like the first one"):
        gram("wl()", PATH, "text")
    with pytest.raises(TypeError, match="labels of nodes and edges must be whole numbers or str, got float"):
        gram("wl()", (1, [], [0.5]))
    with pytest.raises(ValueError, match='graph 0 needs "nodes"'):
        gram("wl()", {"edges": []})
    with pytest.raises(mercer.Error if hasattr(mercer, "Error") else Exception, match="lambda must satisfy"):
        gram("random_walk(1)", TRIANGLE)
    with pytest.raises(ValueError, match="lambda > 0"):
        kernels.RandomWalk(lambda_=0)([PATH])
