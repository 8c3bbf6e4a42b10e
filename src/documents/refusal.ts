// Why a file cannot be read: every condition under which parsing ends without a document.

/** One sentence per condition, shown to the owner of the file; `{name}` places are filled with details. */
const REASONS = {
  'unsupported-type': 'Files of this type are not supported. Supported types: {supported}.',
  'type-mismatch': 'The file is named like {named}, but its content is {found}.',
  empty: 'The file holds no text.',
  encrypted: 'The file is encrypted. Remove its password and upload it again.',
  corrupt: 'The file is damaged or not what its name says: {detail}.',
  'too-many-pages': 'The file has {pages} pages; at most {max} are read.',
  'too-large': 'The file is too large: {detail}.',
  'too-deep': 'The file is nested deeper than {max} levels.',
  'no-text':
    'The file has pages but no text on them. Scanned pages are not recognized; upload a PDF with a text layer.',
  'too-slow': 'Reading the file would take more than {seconds} seconds of computing.',
  'parser-died': 'The file could not be read: the parser stopped unexpectedly.',
} as const;

export type RefusalReason = keyof typeof REASONS;

type PlacesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlacesIn<Rest>
  : never;
type Details<Reason extends RefusalReason> = {
  readonly [Place in PlacesIn<(typeof REASONS)[Reason]>]: string | number;
};

/** A file that cannot be read, with the reason as a code and as a sentence for the file's owner. */
export class DocumentRefusal extends Error {
  readonly reason: RefusalReason;

  /** @param cause what a parser threw, for the log */
  constructor(reason: RefusalReason, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'DocumentRefusal';
    this.reason = reason;
  }
}

/**
 * Builds a refusal; the details fill the places of its sentence.
 * @example throw refusal('too-many-pages', { pages: 12_000, max: 10_000 })
 */
export function refusal<Reason extends RefusalReason>(
  reason: Reason,
  ...[details]: keyof Details<Reason> extends never ? [] : [Details<Reason>]
): DocumentRefusal {
  const values: Readonly<Record<string, string | number>> = details ?? {};
  const message = REASONS[reason].replaceAll(/\{(\w+)\}/g, (_, place: string) => String(values[place]));
  return new DocumentRefusal(reason, message);
}

/** The refusal of a file on which a parser threw what it should not. */
export function parserDied(cause: unknown): DocumentRefusal {
  return new DocumentRefusal('parser-died', REASONS['parser-died'], cause);
}
