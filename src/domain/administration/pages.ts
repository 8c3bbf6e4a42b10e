// Pages of lists.

/** The end of a page. Lists are ordered by `createdAt`, then `id`. */
export interface Position {
  readonly createdAt: string;
  readonly id: string;
}

export interface PageQuery {
  readonly limit: number;
  /** Null for the first page. */
  readonly after: Position | null;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Null on the last page. */
  readonly next: Position | null;
}
