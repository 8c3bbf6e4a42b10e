# Indexes texts with tantivy and answers queries, as asked line by line: see contestant.ts.
import json
import os
import sys
import time

import tantivy

FOLDER = sys.argv[1]
HEAP_BYTES = 1_000_000_000
# As many as our engine commits at once.
BATCH = int(os.environ.get("BENCH_COMMIT_EVERY", "0"))


def schema():
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("id", stored=True)
    builder.add_text_field("text", tokenizer_name="words")
    return builder.build()


def prepare(index):
    words = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(tantivy.Filter.lowercase()).build()
    index.register_tokenizer("words", words)
    return index


def build(path):
    os.makedirs(FOLDER, exist_ok=True)
    start = time.perf_counter()
    index = prepare(tantivy.Index(schema(), path=FOLDER))
    writer = index.writer(heap_size=HEAP_BYTES, num_threads=1)
    with open(path, encoding="utf-8", newline="\n") as texts:
        for number, text in enumerate(texts):
            writer.add_document(tantivy.Document(id=number, text=text))
            if BATCH and (number + 1) % BATCH == 0:
                writer.commit()
    writer.commit()
    writer.wait_merging_threads()
    seconds = time.perf_counter() - start
    size = sum(entry.stat().st_size for entry in os.scandir(FOLDER))
    return {"seconds": seconds, "diskBytes": size}


class Searches:
    def __init__(self):
        start = time.perf_counter()
        self.index = prepare(tantivy.Index.open(FOLDER))
        self.index.reload()
        self.searcher = self.index.searcher()
        self.schema = self.index.schema
        self.seconds = time.perf_counter() - start

    def query(self, line):
        form, *terms = line.rstrip("\n").split("\t")
        if form == "phrase":
            return tantivy.Query.phrase_query(self.schema, "text", terms)
        if form == "fuzzy":
            return tantivy.Query.fuzzy_term_query(
                self.schema, "text", terms[0], distance=1, transposition_cost_one=False
            )
        queries = [tantivy.Query.term_query(self.schema, "text", term) for term in terms]
        if form == "term":
            return queries[0]
        occur = tantivy.Occur.Must if form == "all" else tantivy.Occur.Should
        return tantivy.Query.boolean_query([(occur, query) for query in queries])

    def queries(self, path):
        with open(path, encoding="utf-8", newline="\n") as lines:
            return [self.query(line) for line in lines]

    def run(self, path, k, count):
        times = []
        for query in self.queries(path):
            start = time.perf_counter_ns()
            self.searcher.search(query, k, count=count)
            times.append((time.perf_counter_ns() - start) / 1000)
        return times

    def hits(self, path, k):
        found = [self.searcher.search(query, k, count=False).hits for query in self.queries(path)]
        return [[self.searcher.doc(address)["id"][0] for _, address in hits] for hits in found]


def main():
    searches = None
    for line in sys.stdin:
        command, *args = line.split()
        if command == "build":
            answer = build(args[0])
        elif command == "open":
            searches = Searches()
            answer = {"seconds": searches.seconds, "heldBytes": None}
        elif command == "run":
            answer = searches.run(args[0], int(args[1]), args[2] == "1")
        else:
            answer = searches.hits(args[0], int(args[1]))
        print(json.dumps(answer), flush=True)


main()
