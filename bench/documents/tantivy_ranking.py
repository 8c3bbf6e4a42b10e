# Ranks passages by tantivy's BM25: reads passages and queries as JSON, writes the numbers of the best passages of each.
import json
import sys

import tantivy

TOP = 100


def build(passages, stemming):
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("id", stored=True)
    builder.add_text_field("text", tokenizer_name="words")
    index = tantivy.Index(builder.build())
    words = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(tantivy.Filter.lowercase())
    if stemming:
        words = words.filter(tantivy.Filter.stemmer("english"))
    index.register_tokenizer("words", words.build())
    # One thread and one commit make one segment, whose statistics are those of all passages.
    writer = index.writer(heap_size=100_000_000, num_threads=1)
    for number, text in enumerate(passages):
        writer.add_document(tantivy.Document(id=number, text=text))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index


def ranking(index, searcher, query):
    words = "".join(letter if letter.isalnum() else " " for letter in query.lower())
    hits = searcher.search(index.parse_query(words, ["text"]), TOP).hits
    return [searcher.doc(address)["id"][0] for _, address in hits]


def main():
    request = json.load(sys.stdin)
    index = build(request["passages"], request["stemming"])
    searcher = index.searcher()
    json.dump([ranking(index, searcher, query) for query in request["queries"]], sys.stdout)


main()
