// What a check of the files of one index finds, as plain data.

/** Ids of lost records that are listed for each namespace; the others are only counted. */
export const LOST_IDS_MAX = 10_000;

export interface NamespaceCheck {
  /** Null for records of a namespace whose name is lost. */
  readonly name: string | null;
  /** Records that are whole. */
  readonly records: number;
  /** Records that are damaged or missing. */
  readonly lost: number;
  /** The ids of lost records, as far as they are known; at most LOST_IDS_MAX. */
  readonly lostIds: readonly string[];
}

export interface IndexCheck {
  /** What is damaged: file, place and reason. Empty when everything is whole. */
  readonly problems: readonly string[];
  /** Damaged files that the server makes again by itself. */
  readonly derived: readonly string[];
  /** In the order of their names; staged ones, which imports fill, are left out. */
  readonly namespaces: readonly NamespaceCheck[];
  /** Bytes read. */
  readonly bytes: number;
}

export interface CheckProgress {
  readonly bytes: number;
  readonly bytesExpected: number;
}
