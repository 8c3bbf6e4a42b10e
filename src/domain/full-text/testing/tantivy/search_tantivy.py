# Answers queries by tantivy: reads texts and queries as JSON from standard input, writes matches with scores as JSON.
import json
import sys

import tantivy

FIELDS = ["title", "body"]


def build(texts):
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("id", stored=True, tokenizer_name="raw")
    for field in FIELDS:
        builder.add_text_field(field, tokenizer_name="words")
    index = tantivy.Index(builder.build())
    words = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(tantivy.Filter.lowercase()).build()
    index.register_tokenizer("words", words)
    # One thread and one commit make one segment, whose statistics are those of all texts.
    writer = index.writer(heap_size=100_000_000, num_threads=1)
    for text in texts:
        document = tantivy.Document(id=text["id"])
        for field in FIELDS:
            if field in text:
                document.add_text(field, text[field])
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index


def parse(index, query):
    if "fuzzy" in query:
        fuzzy = query["fuzzy"]
        return tantivy.Query.fuzzy_term_query(
            index.schema, fuzzy["field"], fuzzy["term"], distance=fuzzy["edits"], transposition_cost_one=False
        )
    return index.parse_query(query["text"], FIELDS, allow_regexes=True)


def answer(index, searcher, limit, query):
    try:
        hits = searcher.search(parse(index, query), limit).hits
    except ValueError as error:
        return {"error": str(error)}
    return {"hits": [[searcher.doc(address)["id"][0], score] for score, address in hits]}


def main():
    request = json.load(sys.stdin)
    index = build(request["texts"])
    searcher = index.searcher()
    limit = len(request["texts"])
    json.dump([answer(index, searcher, limit, query) for query in request["queries"]], sys.stdout)


main()
