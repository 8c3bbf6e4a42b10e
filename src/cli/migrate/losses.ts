// What a migration changes and leaves out: counted, and for records that cannot be stored with the first of them.

/** As the summary names it. */
export const LOSSES = {
  nulls: 'null fields left out',
  nested: 'nested objects turned into fields with dotted names',
  numberLists: 'lists of numbers or booleans turned into lists of strings',
  lists: 'lists of objects or lists turned into JSON texts',
  twice: 'fields left out whose flat name another field has',
  names: 'fields left out whose names no field may have here',
  sparse: 'sparse vectors left out',
  vectors: 'vectors of other types left out',
  vectorless: 'records without the vector left out',
  textless: 'records without the text left out',
  unstorable: 'records that cannot be stored left out',
} as const;

export type Loss = keyof typeof LOSSES;

/** Losses that are whole records. */
export const RECORD_LOSSES = ['vectorless', 'textless', 'unstorable'] as const;

/** A record that the target would refuse. */
export interface Unstorable {
  readonly id: string;
  readonly reason: string;
}

/** Of those that cannot be stored; more are only counted. */
const NAMED_MAX = 20;

export class Losses {
  readonly counts: Record<string, number>;
  /** The first ones. */
  readonly unstorable: Unstorable[];

  constructor(counts: Readonly<Record<string, number>> = {}, unstorable: readonly Unstorable[] = []) {
    this.counts = { ...counts };
    this.unstorable = [...unstorable];
  }

  add(loss: Loss, times = 1): void {
    this.counts[loss] = (this.counts[loss] ?? 0) + times;
  }

  addUnstorable(record: Unstorable): void {
    this.add('unstorable');
    if (this.unstorable.length < NAMED_MAX) this.unstorable.push(record);
  }

  addAll({ counts, unstorable }: Losses): void {
    for (const [loss, times] of Object.entries(counts)) this.add(loss as Loss, times);
    this.unstorable.push(...unstorable.slice(0, NAMED_MAX - this.unstorable.length));
  }
}
