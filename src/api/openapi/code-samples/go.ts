// Calls of the Go SDK, version 5. Each sample is a whole program.
import { SAMPLE_BASE, SAMPLE_KEY, type SdkSamples } from './code-sample.ts';

export const GO: SdkSamples = {
  lang: 'go',
  label: 'Go SDK',
  open: `pc, err := pinecone.NewClient(pinecone.NewClientParams{ApiKey: "${SAMPLE_KEY}", Host: "${SAMPLE_BASE}"})`,
  openIndex: `description, err := pc.DescribeIndex(ctx, "films")
films, err := pc.Index(pinecone.NewIndexConnParams{Host: description.Host})`,
  calls: {
    create_index: {
      code: `dimension, metric := int32(3), pinecone.Cosine
index, err := pc.CreateServerlessIndex(ctx, &pinecone.CreateServerlessIndexRequest{
	Name: "films", Dimension: &dimension, Metric: &metric, Cloud: pinecone.Aws, Region: "us-east-1",
})
fmt.Println(index.Host, err)`,
    },
    list_indexes: { code: `indexes, err := pc.ListIndexes(ctx)\nfmt.Println(len(indexes), err)` },
    describe_index: { code: `index, err := pc.DescribeIndex(ctx, "films")\nfmt.Println(index.Host, err)` },
    upsert_vectors: {
      atIndex: true,
      code: `values := []float32{0.1, 0.2, 0.3}
count, err := films.UpsertVectors(ctx, []*pinecone.Vector{{Id: "a", Values: &values}})
fmt.Println(count, err)`,
    },
    query_vectors: {
      atIndex: true,
      code: `found, err := films.QueryByVectorValues(ctx, &pinecone.QueryByVectorValuesRequest{
	Vector: []float32{0.1, 0.2, 0.3}, TopK: 3, IncludeMetadata: true,
})
fmt.Println(len(found.Matches), err)`,
    },
    fetch_vectors: {
      atIndex: true,
      code: `fetched, err := films.FetchVectors(ctx, []string{"a"})\nfmt.Println(len(fetched.Vectors), err)`,
    },
    list_vectors: {
      atIndex: true,
      code: `page, err := films.ListVectors(ctx, &pinecone.ListVectorsRequest{})\nfmt.Println(len(page.VectorIds), err)`,
    },
    get_index_stats: {
      atIndex: true,
      code: `stats, err := films.DescribeIndexStats(ctx)\nfmt.Println(stats.TotalVectorCount, err)`,
    },
    delete_vectors: {
      atIndex: true,
      code: `err = films.DeleteVectorsById(ctx, []string{"a"})\nfmt.Println(err)`,
    },
    delete_index: { code: `err = pc.DeleteIndex(ctx, "films")\nfmt.Println(err)` },
  },
};
