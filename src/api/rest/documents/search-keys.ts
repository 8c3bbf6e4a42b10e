// The keys of a document search. The main thread and the engine thread both read them.
export const SEARCH_KEYS = [
  'score_by',
  'top_k',
  'include_fields',
  'filter',
  'fusion',
  'group_by',
  'order_by',
  'highlights',
  'facets',
  'count',
  'rerank',
  'recall',
] as const;
