// Drives the Java client: indexes, collections and backups over REST, records over gRPC, models and texts.
import com.google.gson.JsonObject;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.pinecone.clients.AsyncIndex;
import io.pinecone.clients.Index;
import io.pinecone.clients.Pinecone;
import io.pinecone.configs.PineconeConfig;
import io.pinecone.configs.PineconeConnection;
import io.pinecone.exceptions.PineconeNotFoundException;
import io.pinecone.unsigned_indices_model.ScoredVectorWithUnsignedIndices;
import io.pinecone.unsigned_indices_model.VectorWithUnsignedIndices;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.openapitools.db_control.client.model.CreateIndexForModelRequestEmbed;
import org.openapitools.db_data.client.model.SearchRecordsRequestQuery;
import org.openapitools.db_data.client.model.SearchRecordsRequestRerank;

public class Driver {
  interface Test {
    void run() throws Exception;
  }

  static final String NAME = "java";
  static final String SPACE = "n";
  static final Pinecone pinecone = new Pinecone.Builder(System.getenv("PINECONE_API_KEY"))
      .withHost(System.getenv("PINYON_URL"))
      .build();
  static Index index;
  static boolean failed = false;

  public static void main(String[] args) {
    test("creates, configures, describes and lists an index", Driver::indexes);
    test("upserts and fetches", Driver::upserts);
    test("queries by vector, id and filter", Driver::queries);
    test("lists ids in pages and counts records", Driver::lists);
    test("updates by id and by filter", Driver::updates);
    test("creates, lists and deletes namespaces", Driver::namespaces);
    test("calls without waiting", Driver::asynchronous);
    test("deletes records", Driver::deletes);
    test("keeps sparse vectors alone", Driver::sparse);
    test("starts, lists and cancels an import", Driver::imports);
    test("backs up and restores", Driver::backups);
    test("makes pod indexes and collections", Driver::collections);
    test("stores and finds texts", Driver::texts);
    test("embeds, reranks and lists models", Driver::models);
    test("deletes the index", () -> {
      index.close();
      pinecone.deleteIndex(NAME);
      // An index that is being deleted is listed until it is gone.
      until(() -> pinecone.listIndexes().getIndexes().isEmpty());
      fails(PineconeNotFoundException.class, () -> pinecone.describeIndex(NAME));
    });
    System.exit(failed ? 1 : 0);
  }

  static void indexes() throws Exception {
    pinecone.createServerlessIndex(NAME, "cosine", 3, "aws", "us-east-1", "disabled", Map.of("a", "b"));
    pinecone.configureServerlessIndex(NAME, "enabled", Map.of("c", "d"), null);
    fails(Exception.class, () -> pinecone.deleteIndex(NAME));
    pinecone.configureServerlessIndex(NAME, "disabled", null, null);
    var found = pinecone.describeIndex(NAME);
    check(found.getDimension() == 3 && found.getTags().equals(Map.of("a", "b", "c", "d")), found);
    check(pinecone.listIndexes().getIndexes().size() == 1, "one index");
    fails(PineconeNotFoundException.class, () -> pinecone.describeIndex("none"));
    index = pinecone.getIndexConnection(NAME);
  }

  static void upserts() {
    index.upsert("a", List.of(1f, 0f, 0f), null, null, metadata("year", 1969), SPACE);
    var more = List.of(
        new VectorWithUnsignedIndices("b", List.of(0f, 1f, 0f), metadata("year", 2001), null),
        new VectorWithUnsignedIndices("c", List.of(0.6f, 0.8f, 0f)));
    check(index.upsert(more, SPACE).getUpsertedCount() == 2, "two");
    var fetched = index.fetch(List.of("a", "none"), SPACE).getVectorsMap();
    check(fetched.keySet().equals(java.util.Set.of("a")) && fetched.get("a").getValues(0) == 1f, fetched);
    var byMetadata = index.fetchByMetadata(SPACE, metadata("year", 2001)).getVectorsMap();
    check(byMetadata.keySet().equals(java.util.Set.of("b")), byMetadata);
  }

  static void queries() {
    var vector = List.of(1f, 0f, 0f);
    equal(ids(index.queryByVector(2, vector, SPACE).getMatchesList()), List.of("a", "c"));
    equal(ids(index.queryByVectorId(1, "b", SPACE).getMatchesList()), List.of("b"));
    var filtered = index.queryByVector(3, vector, SPACE, metadata("year", 2001), true, true).getMatchesList();
    equal(ids(filtered), List.of("b"));
    check(filtered.get(0).getValuesList().size() == 3, filtered);
    equal(ids(index.query(1, vector, null, null, null, SPACE, null, false, false).getMatchesList()), List.of("a"));
    fails(Exception.class, () -> index.queryByVector(1, List.of(1f, 0f), SPACE));
  }

  static void lists() {
    var first = index.list(SPACE, 2);
    var rest = index.list(SPACE, 2, first.getPagination().getNext());
    List<String> ids = new ArrayList<>();
    for (var page : List.of(first, rest)) page.getVectorsList().forEach(item -> ids.add(item.getId()));
    equal(ids, List.of("a", "b", "c"));
    check(index.list(SPACE, "b").getVectorsCount() == 1, "one with the prefix");
    var stats = index.describeIndexStats();
    check(stats.getTotalVectorCount() == 3 && stats.getNamespacesMap().get(SPACE).getVectorCount() == 3, stats);
  }

  static void updates() {
    index.update("a", List.of(0f, 0f, 1f), metadata("seen", 1), SPACE, null, null);
    index.updateByMetadata(metadata("year", 2001), metadata("seen", 2), SPACE);
    var stored = index.fetch(List.of("a", "b"), SPACE).getVectorsMap();
    check(stored.get("a").getValues(2) == 1f && number(stored.get("a").getMetadata(), "year") == 1969, stored);
    check(number(stored.get("a").getMetadata(), "seen") == 1, stored);
    check(number(stored.get("b").getMetadata(), "seen") == 2, stored);
  }

  static void namespaces() {
    check(index.createNamespace("made").getName().equals("made"), "created");
    check(index.describeNamespace("made").getRecordCount() == 0, "empty");
    check(index.listNamespaces().getNamespacesCount() == 2, "two namespaces");
    index.deleteNamespace("made");
    check(index.listNamespaces().getNamespacesCount() == 1, "one namespace");
  }

  static void asynchronous() throws Exception {
    // It shares its connection with the other one, so it is not closed.
    AsyncIndex later = pinecone.getAsyncIndexConnection(NAME);
    later.upsert("x", List.of(1f, 0f, 0f), "later").get();
    check(later.fetch(List.of("x"), "later").get().getVectorsCount() == 1, "fetched");
    equal(ids(later.queryByVector(1, List.of(1f, 0f, 0f), "later").get().getMatchesList()), List.of("x"));
    later.update("x", List.of(0f, 1f, 0f), "later").get();
    check(later.list("later").get().getVectorsCount() == 1, "listed");
    later.deleteByIds(List.of("x"), "later").get();
    check(later.fetch(List.of("x"), "later").get().getVectorsCount() == 0, "deleted");
  }

  static void deletes() {
    index.deleteByIds(List.of("a"), SPACE);
    index.deleteByFilter(metadata("year", 2001), SPACE);
    equal(index.list(SPACE).getVectorsList().stream().map(item -> item.getId()).toList(), List.of("c"));
    index.deleteAll(SPACE);
    check(index.describeIndexStats().getTotalVectorCount() == 0, "empty");
  }

  static void sparse() throws Exception {
    pinecone.createSparseServelessIndex("java-sparse", "aws", "us-east-1", "disabled", new HashMap<>(), "sparse");
    try (Index sparse = pinecone.getIndexConnection("java-sparse")) {
      sparse.upsert("s", new ArrayList<>(), List.of(1L, 4294967295L), List.of(0.5f, 0.25f), null, SPACE);
      var found = sparse.query(1, null, List.of(4294967295L), List.of(2f), null, SPACE, null, true, false);
      check(found.getMatchesList().get(0).getScore() == 0.5f, found);
    }
    pinecone.deleteIndex("java-sparse");
  }

  static void imports() throws Exception {
    PineconeConfig config = configOf(NAME);
    AsyncIndex later = new AsyncIndex(config, new PineconeConnection(config, NAME), NAME);
    String id = later.startImport("s3://pinyon-tests/nothing", null, "continue").getId();
    later.cancelImport(id);
    check(later.describeImport(id).getStatus().matches("Cancelled|Failed"), later.describeImport(id));
    check(later.listImports(5).getData().size() == 1, "one import");
  }

  static void backups() throws Exception {
    index.upsert("kept", List.of(1f, 0f, 0f), SPACE);
    String id = pinecone.createBackup(NAME, "first", "d").getBackupId();
    until(() -> pinecone.describeBackup(id).getStatus().equals("Ready"));
    check(pinecone.listIndexBackups(NAME).getData().size() == 1, "one of the index");
    check(pinecone.listProjectBackups().getData().size() == 1, "one of the project");
    var job = pinecone.createIndexFromBackup(id, "java-restored");
    until(() -> pinecone.describeRestoreJob(job.getRestoreJobId()).getStatus().equals("Completed"));
    check(pinecone.listRestoreJobs(5).getData().size() == 1, "one job");
    try (Index restored = pinecone.getIndexConnection("java-restored")) {
      check(restored.fetch(List.of("kept"), SPACE).getVectorsCount() == 1, "restored");
    }
    pinecone.deleteBackup(id);
    pinecone.deleteIndex("java-restored");
  }

  static void collections() throws Exception {
    pinecone.createPodsIndex("java-pods", 3, "us-east-1-aws", "p1.x1");
    until(() -> pinecone.describeIndex("java-pods").getStatus().getReady());
    pinecone.configurePodsIndex("java-pods", "enabled");
    pinecone.configurePodsIndex("java-pods", 2, "disabled");
    pinecone.createCollection("java-kept", "java-pods");
    until(() -> pinecone.describeCollection("java-kept").getStatus().equals("Ready"));
    check(pinecone.listCollections().getCollections().size() == 1, "one collection");
    pinecone.deleteCollection("java-kept");
    pinecone.deleteIndex("java-pods");
  }

  static void texts() throws Exception {
    var embed = new CreateIndexForModelRequestEmbed().model("multilingual-e5-large").fieldMap(Map.of("text", "chunk"));
    pinecone.createIndexForModel("java-texts", "aws", "us-east-1", embed, "disabled", new HashMap<>());
    PineconeConfig config = configOf("java-texts");
    try (Index texts = new Index(config, new PineconeConnection(config, "java-texts"), "java-texts")) {
      texts.upsertRecords(SPACE, List.of(
          Map.of("_id", "moon", "chunk", "Astronauts walked on the moon"),
          Map.of("_id", "bread", "chunk", "Bread is baked from flour")));
      var query = new SearchRecordsRequestQuery().topK(2).inputs(Map.of("text", "flour for bread"));
      var rerank = new SearchRecordsRequestRerank().model("bge-reranker-v2-m3").topN(1).addRankFieldsItem("chunk");
      var hits = texts.searchRecords(SPACE, query, List.of("chunk"), rerank).getResult().getHits();
      check(hits.size() == 1 && hits.get(0).getId().equals("bread"), hits);
    }
    pinecone.deleteIndex("java-texts");
  }

  /** For calls of an index over REST: the client puts a scheme before its host, which has one already. */
  static PineconeConfig configOf(String name) throws Exception {
    var config = new PineconeConfig(System.getenv("PINECONE_API_KEY"));
    config.setHost(pinecone.describeIndex(name).getHost().replaceFirst("^https://", ""));
    return config;
  }

  static void models() throws Exception {
    var inference = pinecone.getInferenceClient();
    Map<String, Object> options = Map.of("input_type", "query", "truncate", "END");
    var embedded = inference.embed("multilingual-e5-large", options, List.of("moon", "bread"));
    check(embedded.getData().get(1).getDenseEmbedding().getValues().size() == 1024, embedded.getModel());
    List<Map<String, Object>> documents = List.of(Map.of("text", "the moon"), Map.of("text", "flour for bread"));
    var ranked = inference.rerank("bge-reranker-v2-m3", "bread", documents).getData();
    check(ranked.get(0).getIndex() == 1, ranked);
    check(!inference.listModels().getModels().isEmpty(), "models");
    check(inference.describeModel("multilingual-e5-large").getType().equals("embed"), "described");
  }

  static void test(String name, Test test) {
    String outcome = "passed";
    String message = "";
    try {
      test.run();
    } catch (Throwable error) {
      outcome = "failed";
      message = error + " at " + error.getStackTrace()[0];
      failed = true;
    }
    var line = new JsonObject();
    line.addProperty("name", name);
    line.addProperty("outcome", outcome);
    line.addProperty("message", message);
    System.out.println("\n@result " + line);
  }

  static void check(boolean isTrue, Object message) {
    if (!isTrue) throw new AssertionError(message);
  }

  static void equal(Object found, Object expected) {
    check(found.equals(expected), "expected " + expected + ", got " + found);
  }

  static void fails(Class<? extends Exception> kind, Test call) {
    try {
      call.run();
    } catch (Exception error) {
      check(kind.isInstance(error), error);
      return;
    }
    throw new AssertionError(kind.getSimpleName() + " expected, but the call succeeded");
  }

  static void until(Callable<Boolean> isReached) throws Exception {
    for (int i = 0; i < 600 && !isReached.call(); i++) Thread.sleep(100);
    check(isReached.call(), "the state is not reached within a minute");
  }

  static Struct metadata(String key, double value) {
    return Struct.newBuilder().putFields(key, Value.newBuilder().setNumberValue(value).build()).build();
  }

  static double number(Struct metadata, String key) {
    return metadata.getFieldsOrThrow(key).getNumberValue();
  }

  static List<String> ids(List<ScoredVectorWithUnsignedIndices> matches) {
    return matches.stream().map(ScoredVectorWithUnsignedIndices::getId).toList();
  }
}
