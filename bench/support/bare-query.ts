// What the queries of measurements have in common: all records of the default namespace, ids and scores alone.
export const BARE_QUERY = {
  namespace: '',
  sparse: null,
  includeValues: false,
  includeMetadata: false,
  filter: null,
} as const;
