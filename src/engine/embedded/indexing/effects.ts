// The effects of a transaction on records, in order: applied to loaded namespaces after the commit, and kept in the
// change log.
import type { Metadata, SparseVector } from '../../port/reader-and-writer.ts';

export type Effect =
  | {
      readonly kind: 'add';
      readonly namespaceId: number;
      readonly row: number;
      readonly id: string;
      /** Null on sparse indexes; 'stored' when an earlier write put them in the row file. */
      readonly values: Float32Array | 'stored' | null;
      readonly sparse: SparseVector | null;
      readonly metadata: Metadata | null;
    }
  | {
      readonly kind: 'remove';
      readonly namespaceId: number;
      readonly row: number;
      /** Stored fields of the removed record, in indexes of text fields. */
      readonly metadataJson: string | null;
    }
  | { readonly kind: 'drop'; readonly namespaceId: number };

const KINDS = ['add', 'remove', 'drop'] as const;
const ENTRY_WORDS = 3;
/** Of an effect in the change log. */
export const EFFECT_BYTES = ENTRY_WORDS * Uint32Array.BYTES_PER_ELEMENT;

/** A logged effect: enough to look the record up again. */
export interface LoggedEffect {
  readonly kind: Effect['kind'];
  readonly namespaceId: number;
  readonly row: number;
}

export function encodeEffects(effects: readonly Effect[]): Buffer {
  const words = new Uint32Array(effects.length * ENTRY_WORDS);
  effects.forEach((effect, i) => {
    words[i * ENTRY_WORDS] = KINDS.indexOf(effect.kind);
    words[i * ENTRY_WORDS + 1] = effect.namespaceId;
    words[i * ENTRY_WORDS + 2] = effect.kind === 'drop' ? 0 : effect.row;
  });
  return Buffer.from(words.buffer);
}

export function decodeEffects(value: Buffer): readonly LoggedEffect[] {
  const words = new Uint32Array(value.length / 4);
  new Uint8Array(words.buffer).set(value);
  return Array.from({ length: words.length / ENTRY_WORDS }, (_, i) => ({
    kind: KINDS[words[i * ENTRY_WORDS] ?? 0] ?? 'add',
    namespaceId: words[i * ENTRY_WORDS + 1] ?? 0,
    row: words[i * ENTRY_WORDS + 2] ?? 0,
  }));
}
