// Which namespaces a write has discarded, whose rows are to be removed: noted in its transaction.

export const REMOVALS = 'namespace_removals';

/** SQL of the end of a write; empty for none. @param indexId one that the product has made */
export function noteRemovals(indexId: string, namespaces: ReadonlySet<number>): string {
  const rows = [...namespaces].map((number) => `('${indexId}', ${number})`);
  return rows.length === 0 ? '' : `insert into ${REMOVALS} (index_id, namespace) values ${rows.join(', ')};`;
}
