// Indexes texts with Lucene and answers queries, as asked line by line: see contestant.ts.
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.Tokenizer;
import org.apache.lucene.analysis.LowerCaseFilter;
import org.apache.lucene.analysis.util.CharTokenizer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.FuzzyQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopScoreDocCollectorManager;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;

public final class LucenePeer {
  private static final String FIELD = "text";
  private static final double BUFFER_MIB = 512;

  private final Path folder;
  private DirectoryReader reader;
  private IndexSearcher searcher;

  private LucenePeer(Path folder) {
    this.folder = folder;
  }

  public static void main(String[] args) throws IOException {
    LucenePeer peer = new LucenePeer(Path.of(args[0]));
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      System.out.println(peer.answer(line.split(" ")));
    }
  }

  private String answer(String[] request) throws IOException {
    return switch (request[0]) {
      case "build" -> build(Path.of(request[1]));
      case "open" -> open();
      case "run" -> run(Path.of(request[1]), Integer.parseInt(request[2]), request[3].equals("1"));
      default -> hits(Path.of(request[1]), Integer.parseInt(request[2]));
    };
  }

  private static Analyzer words() {
    return new Analyzer() {
      @Override
      protected TokenStreamComponents createComponents(String field) {
        Tokenizer words = CharTokenizer.fromTokenCharPredicate(Character::isLetterOrDigit);
        return new TokenStreamComponents(words, new LowerCaseFilter(words));
      }
    };
  }

  private String build(Path texts) throws IOException {
    long start = System.nanoTime();
    IndexWriterConfig config = new IndexWriterConfig(words()).setRAMBufferSizeMB(BUFFER_MIB);
    try (Directory directory = FSDirectory.open(folder);
        IndexWriter writer = new IndexWriter(directory, config);
        BufferedReader lines = Files.newBufferedReader(texts)) {
      int number = 0;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        Document document = new Document();
        document.add(new StoredField("id", number++));
        document.add(new TextField(FIELD, line, Field.Store.NO));
        writer.addDocument(document);
      }
      writer.forceMerge(1);
      writer.commit();
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    long bytes = 0;
    try (var files = Files.list(folder)) {
      for (Path file : files.toList()) bytes += Files.size(file);
    }
    return String.format(Locale.ROOT, "{\"seconds\":%.3f,\"diskBytes\":%d}", seconds, bytes);
  }

  private String open() throws IOException {
    long start = System.nanoTime();
    reader = DirectoryReader.open(FSDirectory.open(folder));
    searcher = new IndexSearcher(reader);
    // A cache of filters would answer repeated queries from memory.
    searcher.setQueryCache(null);
    double seconds = (System.nanoTime() - start) / 1e9;
    return String.format(Locale.ROOT, "{\"seconds\":%.4f,\"heldBytes\":null}", seconds);
  }

  private static Query query(String line) {
    String[] parts = line.split("\t");
    String form = parts[0];
    if (form.equals("term")) return new TermQuery(new Term(FIELD, parts[1]));
    if (form.equals("fuzzy")) return new FuzzyQuery(new Term(FIELD, parts[1]), 1, 0, 50, false);
    if (form.equals("phrase")) {
      PhraseQuery.Builder phrase = new PhraseQuery.Builder();
      for (int at = 1; at < parts.length; at++) phrase.add(new Term(FIELD, parts[at]));
      return phrase.build();
    }
    Occur occur = form.equals("all") ? Occur.MUST : Occur.SHOULD;
    BooleanQuery.Builder all = new BooleanQuery.Builder();
    for (int at = 1; at < parts.length; at++) all.add(new TermQuery(new Term(FIELD, parts[at])), occur);
    return all.build();
  }

  private static List<Query> queries(Path path) throws IOException {
    return Files.readAllLines(path).stream().map(LucenePeer::query).toList();
  }

  private ScoreDoc[] search(Query query, int k, boolean count) throws IOException {
    int counted = count ? Integer.MAX_VALUE : k;
    return searcher.search(query, new TopScoreDocCollectorManager(k, null, counted)).scoreDocs;
  }

  private String run(Path path, int k, boolean count) throws IOException {
    List<String> times = new ArrayList<>();
    for (Query query : queries(path)) {
      long start = System.nanoTime();
      search(query, k, count);
      times.add(String.format(Locale.ROOT, "%.2f", (System.nanoTime() - start) / 1e3));
    }
    return "[" + String.join(",", times) + "]";
  }

  private String hits(Path path, int k) throws IOException {
    List<String> all = new ArrayList<>();
    for (Query query : queries(path)) {
      List<String> numbers = new ArrayList<>();
      for (ScoreDoc hit : search(query, k, false)) {
        numbers.add(reader.storedFields().document(hit.doc).getField("id").numericValue().toString());
      }
      all.add("[" + String.join(",", numbers) + "]");
    }
    return "[" + String.join(",", all) + "]";
  }
}
