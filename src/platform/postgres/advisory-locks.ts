// The numbers of advisory locks, which are those of a whole database: the catalog and the records may share one.

/** Any numbers that no other program in the database uses. One that has ever been in use stays with its meaning. */
export const ADVISORY_LOCKS = {
  /** Of a change of the catalog, until it ends. */
  change: 7_310_579_004_201,
  /** Of a node, as long as it lives; nodes that share the catalog share it. */
  node: 7_310_579_004_202,
  /** Of nodes that prepare the tables of records. */
  preparing: 7_310_579_004_203,
  /** Of a node that starts. */
  starting: 7_310_579_004_204,
  /** Of the node that migrates the catalog. */
  migrating: 7_310_579_004_205,
  /** Of the node that removes the rows of deleted namespaces. */
  removing: 7_310_579_004_206,
} as const;
