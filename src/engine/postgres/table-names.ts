// The names of the tables of an index.

const INDEX_ID = /^[A-Za-z0-9_-]{1,48}$/;

export interface TableNames {
  readonly namespaces: string;
  readonly records: string;
  readonly postings: string;
  /** How many records of a namespace have each metadata field. */
  readonly fields: string;
  /** Terms of full-text fields, and the sums of their tokens: of document indexes only. */
  readonly texts: string;
  readonly textFields: string;
}

/** Quoted, for SQL. @throws RangeError for an id that the product has not made */
export function tablesOf(indexId: string): TableNames {
  if (!INDEX_ID.test(indexId)) throw new RangeError('the id of an index has other characters than expected');
  return {
    namespaces: `"namespaces_${indexId}"`,
    records: `"records_${indexId}"`,
    postings: `"postings_${indexId}"`,
    fields: `"fields_${indexId}"`,
    texts: `"texts_${indexId}"`,
    textFields: `"text_fields_${indexId}"`,
  };
}
