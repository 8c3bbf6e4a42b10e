// The messages of the gRPC services as lines of proto3 definitions, for the codec, the reference page and tests.

/**
 * Fields by message. `optional` tracks presence; without it a default value and an absent field are the same.
 * Struct is google.protobuf.Struct, which can represent any JSON object; Timestamp is google.protobuf.Timestamp.
 */
export const MESSAGES = {
  SparseValues: ['repeated uint32 indices = 1', 'repeated float values = 2'],
  Vector: [
    'string id = 1',
    'repeated float values = 2',
    'Struct metadata = 3',
    'SparseValues sparse_values = 4',
  ],
  ScoredVector: [
    'string id = 1',
    'float score = 2',
    'repeated float values = 3',
    'Struct metadata = 4',
    'SparseValues sparse_values = 5',
  ],
  Usage: ['optional uint32 read_units = 1', 'optional uint32 egress_bytes = 2'],
  Pagination: ['string next = 1'],

  UpsertRequest: ['repeated Vector vectors = 1', 'string namespace = 2'],
  UpsertResponse: ['uint32 upserted_count = 1'],

  DeleteRequest: [
    'repeated string ids = 1',
    'bool delete_all = 2',
    'string namespace = 3',
    'Struct filter = 4',
  ],
  DeleteResponse: [],

  FetchRequest: ['repeated string ids = 1', 'string namespace = 2'],
  FetchResponse: ['map<string, Vector> vectors = 1', 'string namespace = 2', 'optional Usage usage = 3'],

  FetchByMetadataRequest: [
    'string namespace = 1',
    'optional Struct filter = 2',
    'optional uint32 limit = 3',
    'optional string pagination_token = 4',
  ],
  FetchByMetadataResponse: [
    'map<string, Vector> vectors = 1',
    'string namespace = 2',
    'optional Usage usage = 3',
    'optional Pagination pagination = 4',
  ],

  ListRequest: [
    'optional string prefix = 1',
    'optional uint32 limit = 2',
    'optional string pagination_token = 3',
    'string namespace = 4',
  ],
  ListItem: ['string id = 1'],
  ListResponse: [
    'repeated ListItem vectors = 1',
    'optional Pagination pagination = 2',
    'string namespace = 3',
    'optional Usage usage = 4',
  ],

  QueryVector: [
    'repeated float values = 1',
    'uint32 top_k = 2',
    'string namespace = 3',
    'Struct filter = 4',
    'SparseValues sparse_values = 5',
  ],
  QueryRequest: [
    'string namespace = 1',
    'uint32 top_k = 2',
    'Struct filter = 3',
    'bool include_values = 4',
    'bool include_metadata = 5',
    'repeated QueryVector queries = 6',
    'repeated float vector = 7',
    'string id = 8',
    'SparseValues sparse_vector = 9',
    'optional float scan_factor = 10',
    'optional uint32 max_candidates = 11',
  ],
  SingleQueryResults: ['repeated ScoredVector matches = 1', 'string namespace = 2'],
  QueryResponse: [
    'repeated SingleQueryResults results = 1',
    'repeated ScoredVector matches = 2',
    'string namespace = 3',
    'optional Usage usage = 4',
  ],

  UpdateRequest: [
    'string id = 1',
    'repeated float values = 2',
    'Struct set_metadata = 3',
    'string namespace = 4',
    'SparseValues sparse_values = 5',
    'optional Struct filter = 6',
    'optional bool dry_run = 7',
  ],
  UpdateResponse: ['optional int32 matched_records = 1'],

  DescribeIndexStatsRequest: ['Struct filter = 1'],
  NamespaceSummary: ['uint32 vector_count = 1'],
  DescribeIndexStatsResponse: [
    'map<string, NamespaceSummary> namespaces = 1',
    'optional uint32 dimension = 2',
    'float index_fullness = 3',
    'uint32 total_vector_count = 4',
    'optional string metric = 5',
    'optional string vector_type = 6',
    'optional float memory_fullness = 7',
    'optional float storage_fullness = 8',
  ],

  MetadataFieldProperties: ['bool filterable = 1'],
  MetadataSchema: ['map<string, MetadataFieldProperties> fields = 1'],
  IndexedFields: ['repeated string fields = 1'],
  NamespaceDescription: [
    'string name = 1',
    'uint64 record_count = 2',
    'optional MetadataSchema schema = 3',
    'optional IndexedFields indexed_fields = 4',
    'uint64 size_bytes = 5',
  ],
  ListNamespacesRequest: [
    'optional string pagination_token = 1',
    'optional uint32 limit = 2',
    'optional string prefix = 3',
  ],
  ListNamespacesResponse: [
    'repeated NamespaceDescription namespaces = 1',
    'optional Pagination pagination = 2',
    'optional int32 total_count = 3',
  ],
  CreateNamespaceRequest: ['string name = 1', 'optional MetadataSchema schema = 2'],
  DescribeNamespaceRequest: ['string namespace = 1'],
  DeleteNamespaceRequest: ['string namespace = 1'],

  NamespaceAliasDescription: [
    'string name = 1',
    'string target_namespace = 2',
    'Timestamp created_at = 3',
    'Timestamp updated_at = 4',
  ],
  CreateNamespaceAliasRequest: ['string name = 1', 'string target_namespace = 2'],
  ListNamespaceAliasesRequest: [
    'optional string pagination_token = 1',
    'optional uint32 limit = 2',
    'optional string prefix = 3',
    'optional string target_namespace = 4',
  ],
  ListNamespaceAliasesResponse: [
    'repeated NamespaceAliasDescription namespace_aliases = 1',
    'optional Pagination pagination = 2',
    'int32 total_count = 3',
  ],
  DescribeNamespaceAliasRequest: ['string alias_name = 1'],
  RepointNamespaceAliasRequest: ['string alias_name = 1', 'string target_namespace = 2'],
  DeleteNamespaceAliasRequest: ['string alias_name = 1'],
  DeleteNamespaceAliasResponse: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type MessageName = keyof typeof MESSAGES;
