"""The engines of PyPI that are compared: how each is built, opened, set and asked, one query and one thread at a time."""

import json
import os

import numpy


def units(rows):
    norms = numpy.linalg.norm(rows, axis=1, keepdims=True)
    return rows / numpy.where(norms == 0, 1, norms)


THREADS_BUILD = os.cpu_count()


class Engine:
    def __init__(self, dimension, metric, build):
        self.dimension = dimension
        # Cosine is the product of unit vectors, by which these engines search fastest.
        self.is_euclidean = metric == "euclidean"
        self.settings = build

    def choose(self, search):
        pass


class Svs(Engine):
    """Vamana over locally adaptive codes: `primary` bits to search by, `residual` bits more to rank the best by."""

    def loader(self, source):
        import svs

        # Rows aligned to cache lines, in the order of lanes: what its makers advise for speed.
        return svs.LVQLoader(source, primary=self.settings["primary"], residual=self.settings["residual"], padding=32)

    def distance(self):
        import svs

        return svs.DistanceType.L2 if self.is_euclidean else svs.DistanceType.MIP

    def build(self, folder, rows):
        import svs

        with open("/proc/cpuinfo", encoding="ascii") as processors:
            if "GenuineIntel" not in processors.read():
                raise RuntimeError("its codes work on Intel's processors only")
        path = os.path.join(folder, "rows.fvecs")
        svs.write_vecs(rows, path)
        parameters = svs.VamanaBuildParameters(
            alpha=1.2 if self.is_euclidean else 0.95,
            graph_max_degree=self.settings["degree"],
            window_size=self.settings["window"],
        )
        data = svs.VectorDataLoader(path, svs.DataType.float32, dims=self.dimension)
        index = svs.Vamana.build(parameters, self.loader(data), self.distance(), num_threads=THREADS_BUILD)
        index.save(*[os.path.join(folder, name) for name in ("config", "graph", "data")])
        os.remove(path)

    def open(self, folder):
        import svs

        config, graph, data = [os.path.join(folder, name) for name in ("config", "graph", "data")]
        loader = svs.LVQLoader(data, padding=32)
        self.index = svs.Vamana(config, svs.GraphLoader(graph), loader, self.distance(), num_threads=1)

    def choose(self, search):
        import svs

        parameters = self.index.search_parameters
        window = search["window"]
        parameters.buffer_config = svs.SearchBufferConfig(window, max(window, search.get("capacity", window)))
        parameters.search_buffer_visited_set = False
        parameters.prefetch_lookahead = search.get("lookahead", 4)
        parameters.prefetch_step = search.get("step", 2)
        self.index.search_parameters = parameters

    def query(self, query, k):
        return self.index.search(query, k)[0]


class Glass(Engine):
    """HNSW whose searcher reads 8-bit codes; `refine` ranks the best again by other codes."""

    def build(self, folder, rows):
        import glass

        glass.set_num_threads(THREADS_BUILD)
        metric = "L2" if self.is_euclidean else "IP"
        made = glass.Index("HNSW", metric, quant="SQ8U", R=self.settings["degree"], L=self.settings["breadth"])
        made.build(rows).save(os.path.join(folder, "graph"))
        numpy.save(os.path.join(folder, "rows.npy"), rows)

    def open(self, folder):
        import glass

        graph = glass.Graph()
        graph.load(os.path.join(folder, "graph"))
        rows = numpy.load(os.path.join(folder, "rows.npy"), mmap_mode="r")
        metric = "L2" if self.is_euclidean else "IP"
        self.searcher = glass.Searcher(graph, rows, metric, "SQ8U", "SQ8" if self.settings.get("refine") else "")
        self.searcher.optimize(1)

    def choose(self, search):
        self.searcher.set_ef(search["ef"])

    def query(self, query, k):
        return self.searcher.search(query, k)


class Faiss(Engine):
    """HNSW over 8-bit codes."""

    def metric(self):
        import faiss

        return faiss.METRIC_L2 if self.is_euclidean else faiss.METRIC_INNER_PRODUCT

    def build(self, folder, rows):
        import faiss

        faiss.omp_set_num_threads(THREADS_BUILD)
        index = faiss.IndexHNSWSQ(self.dimension, faiss.ScalarQuantizer.QT_8bit, self.settings["m"], self.metric())
        index.hnsw.efConstruction = self.settings["efConstruction"]
        index.train(rows)
        index.add(rows)
        faiss.write_index(index, os.path.join(folder, "index"))

    def open(self, folder):
        import faiss

        faiss.omp_set_num_threads(1)
        self.index = faiss.read_index(os.path.join(folder, "index"))

    def choose(self, search):
        self.index.hnsw.efSearch = search["ef"]

    def query(self, query, k):
        return self.index.search(query.reshape(1, -1), k)[1]


class Vsag(Engine):
    """HGraph over 8-bit codes; `refine` measures the best again by their floats."""

    def made(self):
        import pyvsag

        pyvsag.set_logger_off()
        graph = {
            "base_quantization_type": "sq8_uniform",
            "max_degree": self.settings["degree"],
            "ef_construction": self.settings["efConstruction"],
            "build_thread_count": THREADS_BUILD,
        }
        if self.settings["refine"]:
            graph |= {"use_reorder": True, "precise_quantization_type": "fp32"}
        # Its codes rank unit vectors by distance better than by product.
        parameters = {"dtype": "float32", "metric_type": "l2", "dim": self.dimension, "index_param": graph}
        return pyvsag.Index("hgraph", json.dumps(parameters))

    def build(self, folder, rows):
        index = self.made()
        index.build(vectors=rows.reshape(-1), ids=numpy.arange(len(rows)), num_elements=len(rows), dim=self.dimension)
        index.save(os.path.join(folder, "index"))

    def open(self, folder):
        self.index = self.made()
        self.index.load(os.path.join(folder, "index"))

    def choose(self, search):
        self.parameters = json.dumps({"hgraph": {"ef_search": search["ef"]}})

    def query(self, query, k):
        return self.index.knn_search(vector=query, k=k, parameters=self.parameters)[0]


class SymphonyQg(Engine):
    """A graph with the binary codes of all neighbours beside each node, and the rows as floats."""

    def build(self, folder, rows):
        import rabitqlib

        # The product of unit vectors ranks as their distance does.
        index = rabitqlib.SymqgIndex(self.dimension, self.settings["degree"], metric="l2")
        index.build(rows, self.settings["efConstruction"], num_threads=THREADS_BUILD)
        index.save(os.path.join(folder, "index"))

    def open(self, folder):
        import rabitqlib

        self.index = rabitqlib.SymqgIndex.load(os.path.join(folder, "index"))

    def choose(self, search):
        self.ef = search["ef"]

    def query(self, query, k):
        return self.index.search(query.reshape(1, -1), k, self.ef, 1)[0]


ENGINES = {"svs": Svs, "glass": Glass, "faiss": Faiss, "vsag": Vsag, "symphonyqg": SymphonyQg}
