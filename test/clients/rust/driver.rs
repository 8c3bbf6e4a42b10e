//! Drives every public method of the Rust client.
use pinecone_sdk::models::{
    Cloud, DeletionProtection, EmbedRequestParameters, Kind, Metadata, Metric, Namespace, SparseValues, Value,
    Vector, WaitPolicy,
};
use pinecone_sdk::pinecone::{data::Index, default_client, PineconeClient, PineconeClientConfig};
use std::{error::Error, future::Future, time::Duration};

type Outcome = Result<(), Box<dyn Error>>;

const NAME: &str = "rust";

/// Fails a test with a message.
fn check(is_true: bool, message: impl std::fmt::Debug) -> Outcome {
    if is_true {
        return Ok(());
    }
    Err(format!("{message:?}").into())
}

fn number(value: f64) -> Value {
    Value { kind: Some(Kind::NumberValue(value)) }
}

fn metadata(key: &str, value: Value) -> Metadata {
    Metadata { fields: [(key.to_string(), value)].into() }
}

fn vector(id: &str, values: [f32; 3], year: f64) -> Vector {
    let sparse = SparseValues { indices: vec![1, u32::MAX], values: vec![0.5, 0.25] };
    let metadata = Some(metadata("year", number(year)));
    Vector { id: id.into(), values: values.to_vec(), sparse_values: Some(sparse), metadata }
}

fn wait() -> WaitPolicy {
    WaitPolicy::WaitFor(Duration::from_secs(60))
}

async fn indexes(pinecone: &PineconeClient) -> Outcome {
    let cloud = Cloud::Aws;
    let protection = DeletionProtection::Enabled;
    let made = pinecone
        .create_serverless_index(NAME, 3, Metric::Dotproduct, cloud, "us-east-1", protection, wait())
        .await?;
    check(made.dimension == 3 && made.metric == Metric::Dotproduct, &made)?;
    check(pinecone.delete_index(NAME).await.is_err(), "deletion is refused")?;
    pinecone.configure_index(NAME, Some(DeletionProtection::Disabled), None, None).await?;
    let found = pinecone.describe_index(NAME).await?;
    check(found.deletion_protection == Some(DeletionProtection::Disabled), &found)?;
    check(pinecone.list_indexes().await?.indexes.map(|all| all.len()) == Some(1), "one index")?;
    check(pinecone.describe_index("none").await.is_err(), "no such index")
}

async fn writes(index: &mut Index, space: &Namespace) -> Outcome {
    let rows = [
        vector("a", [1.0, 0.0, 0.0], 1969.0),
        vector("b", [0.0, 1.0, 0.0], 2001.0),
        vector("c", [0.5, 0.5, 0.0], 2010.0),
    ];
    check(index.upsert(&rows, space).await?.upserted_count == 3, "three")?;
    let fetched = index.fetch(&["a", "none"], space).await?;
    check(fetched.vectors.len() == 1 && fetched.vectors["a"] == rows[0], &fetched)?;
    let first = index.list(space, None, Some(2), None).await?;
    let next = first.pagination.map(|page| page.next);
    let rest = index.list(space, None, Some(2), next.as_deref()).await?;
    check(first.vectors.len() == 2 && rest.vectors[0].id == "c", &rest)?;
    let stats = index.describe_index_stats(None).await?;
    check(stats.total_vector_count == 3 && stats.dimension == 3, &stats)?;
    let seen = Some(metadata("seen", number(1.0)));
    index.update("b", vec![0.0, 0.0, 1.0], None, seen, space).await?;
    let updated = &index.fetch(&["b"], space).await?.vectors["b"];
    let keys = updated.metadata.as_ref().map(|all| all.fields.len());
    check(updated.values == [0.0, 0.0, 1.0] && keys == Some(2), updated)
}

async fn queries(index: &mut Index, space: &Namespace) -> Outcome {
    let values = vec![1.0, 0.0, 0.0];
    let found = index.query_by_value(values.clone(), None, 2, space, None, Some(true), Some(true)).await?;
    let ids: Vec<&str> = found.matches.iter().map(|one| one.id.as_str()).collect();
    check(ids == ["a", "c"] && found.matches[0].values.len() == 3, &found)?;
    let sparse = Some(SparseValues { indices: vec![u32::MAX], values: vec![2.0] });
    let hybrid = index.query_by_value(values, sparse, 1, space, None, None, None).await?;
    check(hybrid.matches[0].score == 1.5, &hybrid)?;
    let recent = metadata("$gt", number(2005.0));
    let filter = metadata("year", Value { kind: Some(Kind::StructValue(recent)) });
    let by_id = index.query_by_id("a", 3, space, Some(filter), None, None).await?;
    check(by_id.matches.len() == 1 && by_id.matches[0].id == "c", &by_id)
}

async fn deletes(index: &mut Index, space: &Namespace) -> Outcome {
    index.delete_by_id(&["a"], space).await?;
    index.delete_by_filter(metadata("year", number(2001.0)), space).await?;
    check(index.list(space, None, None, None).await?.vectors.len() == 1, "one is left")?;
    index.delete_all(space).await?;
    check(index.describe_index_stats(None).await?.total_vector_count == 0, "none is left")
}

async fn collections(pinecone: &PineconeClient) -> Outcome {
    let (environment, kind) = ("us-east-1-aws", "p1.x1");
    let protection = DeletionProtection::Disabled;
    pinecone
        .create_pod_index("pods", 3, Metric::Cosine, environment, kind, 1, 1, 1, protection, None, None, wait())
        .await?;
    pinecone.configure_index("pods", None, Some(2), None).await?;
    pinecone.create_collection("kept", "pods").await?;
    check(pinecone.describe_collection("kept").await?.name == "kept", "described")?;
    check(pinecone.list_collections().await?.collections.map(|all| all.len()) == Some(1), "one collection")?;
    pinecone.delete_collection("kept").await?;
    Ok(pinecone.delete_index("pods").await?)
}

async fn embeds(pinecone: &PineconeClient) -> Outcome {
    let options = EmbedRequestParameters { input_type: Some("query".into()), truncate: Some("END".into()) };
    let made = pinecone.embed("multilingual-e5-large", Some(options), &vec!["moon", "bread"]).await?;
    check(made.data.len() == 2 && made.data[0].values.len() == 1024, &made.usage)
}

/// Prints a line for the command. @returns whether the test passed
async fn test(name: &str, body: impl Future<Output = Outcome>) -> bool {
    let (outcome, message) = match body.await {
        Ok(()) => ("passed", String::new()),
        Err(error) => ("failed", error.to_string()),
    };
    let line = serde_json::json!({ "name": name, "outcome": outcome, "message": message });
    println!("\n@result {line}");
    outcome == "passed"
}

async fn configures() -> Outcome {
    let config = PineconeClientConfig {
        api_key: std::env::var("PINECONE_API_KEY").ok(),
        control_plane_host: std::env::var("PINECONE_CONTROLLER_HOST").ok(),
        source_tag: Some("driver".into()),
        ..Default::default()
    };
    check(config.client()?.list_indexes().await?.indexes.is_some(), "a list")
}

async fn run() -> Result<bool, Box<dyn Error>> {
    let pinecone = default_client()?;
    let mut good = test("takes a configuration", configures()).await;
    good &= test("creates, configures, describes and lists an index", indexes(&pinecone)).await;
    let host = pinecone.describe_index(NAME).await?.host;
    let mut index = pinecone.index(&host).await?;
    let space = Namespace::from("n");
    good &= test("upserts, fetches, lists, counts and updates", writes(&mut index, &space)).await;
    good &= test("queries by vector, id and filter", queries(&mut index, &space)).await;
    good &= test("deletes by id and filter, and all", deletes(&mut index, &space)).await;
    good &= test("makes pod indexes and collections", collections(&pinecone)).await;
    good &= test("embeds", embeds(&pinecone)).await;
    good &= test("deletes an index", async { Ok(pinecone.delete_index(NAME).await?) }).await;
    Ok(good)
}

#[tokio::main]
async fn main() {
    let good = run().await.unwrap_or_else(|error| panic!("{error}"));
    std::process::exit(if good { 0 } else { 1 });
}
