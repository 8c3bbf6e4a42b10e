// The reasons for which a file cannot be read: every condition under which parsing returns no document.

/** One message for each condition, shown to the owner of the file. Details replace the `{name}` placeholders. */
const REASONS = {
  'unsupported-type': 'Files of this type are not supported. Supported types: {supported}.',
  'type-mismatch': 'The file name says {named}, but the content is {found}.',
  empty: 'The file contains no text.',
  encrypted: 'The file is encrypted. Remove its password and upload it again.',
  corrupt: 'The file is damaged or not of the type that its name says: {detail}.',
  'too-many-pages': 'The file has {pages} pages; at most {max} are allowed.',
  'too-large': 'The file is too large: {detail}.',
  'too-deep': 'The file is nested deeper than {max} levels.',
  'no-text':
    'The pages of the file have no text layer: it is a scan, or its text is drawn. Upload a PDF with a text layer, or have the operator of this server set PINYON_OCR, by which scanned pages are read.',
  'nothing-read':
    'The pages of the file have no text layer, and no text was found in their pictures. Upload a PDF with a text layer, or a clearer scan.',
  'too-slow': 'Reading the file takes more than {seconds} seconds of processor time.',
  'parser-died': 'The file could not be read: the parser stopped unexpectedly.',
} as const;

export type RefusalReason = keyof typeof REASONS;

type PlaceholdersIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlaceholdersIn<Rest>
  : never;
type Details<Reason extends RefusalReason> = {
  readonly [Name in PlaceholdersIn<(typeof REASONS)[Reason]>]: string | number;
};

/** Thrown for a file that cannot be read: a reason code, and a message for the owner of the file. */
export class DocumentRefusal extends Error {
  readonly reason: RefusalReason;

  /** @param cause what the parser threw, for the log */
  constructor(reason: RefusalReason, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'DocumentRefusal';
    this.reason = reason;
  }
}

/**
 * Makes a refusal; the details replace the placeholders of its message.
 * @example throw refusal('too-many-pages', { pages: 12_000, max: 10_000 })
 */
export function refusal<Reason extends RefusalReason>(
  reason: Reason,
  ...[details]: keyof Details<Reason> extends never ? [] : [Details<Reason>]
): DocumentRefusal {
  const values: Readonly<Record<string, string | number>> = details ?? {};
  const message = REASONS[reason].replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
  return new DocumentRefusal(reason, message);
}

/** The refusal of a file for which a parser threw an unexpected error. */
export function parserDied(cause: unknown): DocumentRefusal {
  return new DocumentRefusal('parser-died', REASONS['parser-died'], cause);
}
