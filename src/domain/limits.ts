// All limits of the API; schemas, checks and messages interpolate them.

export const DIMENSION_MIN = 1;
export const DIMENSION_MAX = 20_000;

export const RECORD_ID_CHARS_MAX = 512;
export const NAMESPACE_NAME_CHARS_MAX = 512;
export const ALIAS_NAME_CHARS_MAX = 512;
export const ALIASES_PER_INDEX_MAX = 1_000;
export const INDEX_NAME_CHARS_MAX = 45;

export const UPSERT_RECORDS_MAX = 1_000;
export const FETCH_IDS_MAX = 1_000;
export const DELETE_IDS_MAX = 1_000;

/** Maximum size of a data plane request by content (2 MB). */
export const DATA_REQUEST_BYTES_MAX = 2 * 1024 * 1024;
/**
 * Maximum size of a control plane request. The largest useful one, a schema of 100 described fields, has 50 KB. They are
 * parsed on the main thread, which the worst text of this size blocks for 50 ms.
 */
export const CONTROL_REQUEST_BYTES_MAX = 128 * 1024;
/** Query strings with up to 1,000 ids must fit. */
export const URL_BYTES_MAX = 640 * 1024;
/** Size of a query, fetch-by-metadata or search answer (4 MB). */
export const RESPONSE_BYTES_MAX = 4 * 1024 * 1024;
/**
 * Size of a fetch of documents by ids, which has no pages: half of the longest text that JavaScript holds, and 1,000 of
 * most documents. 1,000 of the largest ones would take 2 GiB. Servers with less memory for responses have a lower bound.
 */
export const FETCH_BYTES_MAX = 256 * 1024 * 1024;

export const SPARSE_ENTRIES_MAX = 2_048;
export const SPARSE_INDEX_MAX = 4_294_967_295;
export const METADATA_BYTES_MAX = 40_960;
/** Of the field that says when records expire. */
export const EXPIRY_FIELD_CHARS_MAX = 256;
/** The end of the year 9999: larger moments are milliseconds by mistake. */
export const MOMENT_SECONDS_MAX = 253_402_300_799;
/** Of a document as stored: its id, vectors, metadata and texts. */
export const DOCUMENT_BYTES_MAX = 2 * 1024 * 1024;
/** Changes of one call, which is all or none. */
export const UPDATE_RECORDS_MAX = 1_000;
export const METADATA_SCHEMA_FIELDS_MAX = 50;
export const DOCUMENTS_MAX = 1_000;
/** Documents of a request whose texts are embedded. */
export const DOCUMENTS_EMBEDDED_MAX = 96;
export const DOCUMENT_FIELD_NAME_BYTES_MAX = 64;
/** Bytes of the text of one field. */
export const TEXT_VALUE_BYTES_MAX = 100 * 1024;
/** Tokens of the text of one field, where it is searched by its words. */
export const TEXT_TOKENS_MAX = 10_000;
/** N-grams of the text of one field. */
export const TEXT_GRAMS_MAX = 200_000;
export const SCORE_CLAUSES_MAX = 100;
export const RRF_K_DEFAULT = 60;
export const RRF_K_MAX = 10_000;
/** Documents of an answer with highlights. */
export const HIGHLIGHTED_MAX = 100;
/** Characters that the highlights of an answer look at; each fuzzy word, prefix or regular expression counts them again. */
export const HIGHLIGHT_CHARS_MAX = 2_000_000;
export const SNIPPETS_DEFAULT = 3;
export const SNIPPETS_MAX = 10;
/** UTF-16 code units of a snippet, without its marks. */
export const SNIPPET_LENGTH_DEFAULT = 160;
export const SNIPPET_LENGTH_MIN = 20;
export const SNIPPET_LENGTH_MAX = 1_000;
export const HIGHLIGHT_TAG_CHARS_MAX = 64;
/** Rankings of a fusion, each of which is a search of its own. */
export const FUSED_RANKINGS_MAX = 16;
/** `top_k` of all rankings of a fusion together. */
export const FUSED_MATCHES_MAX = 40_000;
/** Of a ranking in a fusion: sums of weighted scores stay finite. */
export const FUSION_WEIGHT_MAX = 1_000_000;
/** Positive and negative examples of a recommendation, each. */
export const RECOMMEND_EXAMPLES_MAX = 100;
/** Matches among which a diverse answer chooses. */
export const DIVERSITY_CANDIDATES_MAX = 1_000;
export const DIVERSITY_CANDIDATES_DEFAULT = 100;
/** Numbers that are multiplied for a diverse answer: results times candidates times dimension; a fifth of a second. */
export const DIVERSITY_PRODUCTS_MAX = 100_000_000;

export const GROUP_SIZE_DEFAULT = 3;
export const GROUP_SIZE_MAX = 100;
export const FACETS_MAX = 10;
export const FACET_VALUES_DEFAULT = 10;
export const FACET_VALUES_MAX = 100;
/** Different values of a field that a facet tells apart. */
export const FACET_DISTINCT_MAX = 100_000;
/** Equally frequent values, beyond those that a facet shows, among which it finds the first in order. */
export const FACET_TIES_MAX = 200;
export const FULL_TEXT_FIELDS_MAX = 100;
/** Code points of the longest n-gram. */
export const NGRAM_MAX = 10;
/** Characters of a term; longer tokens are cut. */
export const TERM_CHARS_MAX = 40;
/** Minimum magnitude of a dense vector's largest component: 1e-8 as a 32-bit float. */
export const DENSE_MAGNITUDE_MIN = Math.fround(1e-8);

export const TOP_K_MIN = 1;
export const TOP_K_MAX = 10_000;
export const SCAN_FACTOR_MIN = 0.5;
export const SCAN_FACTOR_MAX = 4;
/** The recall that a search may request, as a share of the true best; an index promises no less than the second. */
export const RECALL_TARGET_MIN = 0.6;
export const RECALL_PROMISE_MIN = 0.9;
export const RECALL_TARGET_MAX = 0.999;
export const MAX_CANDIDATES_MAX = 100_000;
export const SEARCH_FIELDS_MAX = 100;

export const LIST_LIMIT_MIN = 1;
export const LIST_LIMIT_MAX = 100;
export const LIST_LIMIT_DEFAULT = 100;
export const FETCH_BY_METADATA_LIMIT_MAX = 10_000;
export const FETCH_BY_METADATA_LIMIT_DEFAULT = 100;
export const BROWSE_LIMIT_MAX = 1_000;
export const BROWSE_LIMIT_DEFAULT = 100;
/** Bytes of a page for people: it ends early, after the record that takes it past this. */
export const BROWSE_PAGE_BYTES_MAX = 1024 * 1024;
/** Names of fields that a page lists. */
export const BROWSE_FIELDS_MAX = 1_000;
export const NEIGHBORS_MAX = 100;
export const NEIGHBORS_DEFAULT = 10;
/** Of a comparison of searches: each query is searched once more exactly, which takes a scan. */
export const COMPARED = {
  QUERIES_MAX: 10,
  CONFIGURATIONS_MAX: 4,
  TOP_K_MAX: 100,
  EFFORT_MIN: 0.1,
  EFFORT_MAX: 4,
};
/** Branches of an index: the source copies what it overwrites to each of its branches. */
export const BRANCHES_MAX = 32;
/** A branch of a branch of a namespace has a depth of 2. */
export const BRANCH_DEPTH_MAX = 4;
/** Records of the source that may have changed since the moment that a branch begins at: one transaction copies them. */
export const BRANCH_PAST_CHANGES_MAX = 10_000;
/** An update by filter changes the first ones up to here, and leaves the others without an error. */
export const UPDATE_BY_FILTER_RECORDS_MAX = 100_000;

export const FILTER_DEPTH_MAX = 32;
export const FILTER_IN_ENTRIES_MAX = 10_000;

export const TAG_KEY_CHARS_MAX = 80;
export const TAG_VALUE_CHARS_MAX = 120;
export const TAGS_MAX = 20;

/** JSON bodies nested deeper than this are refused before parsing. */
export const JSON_DEPTH_MAX = 64;
