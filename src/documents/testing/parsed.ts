// Parses files in tests, and tells why they were refused.
import assert from 'node:assert/strict';
import { blockText, type ParsedDocument } from '../document-model.ts';
import { PARSE_LIMITS, type ParseLimits } from '../limits.ts';
import { type DocumentFile, parseDocument } from '../parse-document.ts';
import { DocumentRefusal, type RefusalReason } from '../refusal.ts';

/** The reason for which a file is refused. Throws when the promise resolves, or rejects for something else. */
export async function refusedFor(parsing: Promise<unknown>): Promise<RefusalReason> {
  const error = await parsing.then(
    () => assert.fail('the file was accepted'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof DocumentRefusal)) throw error;
  assert.ok(!/\{\w+\}/.test(error.message), `placeholder without a value: ${error.message}`);
  return error.reason;
}

/** Parses a file in the thread of the test. */
export function parsed(
  name: string,
  content: string | Uint8Array,
  limits: Partial<ParseLimits> = {},
): Promise<ParsedDocument> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const file: DocumentFile = { name, bytes };
  return parseDocument(file, { ...PARSE_LIMITS, ...limits });
}

/** `kind: text` for each block, with the level of headings. */
export function outline(document: ParsedDocument): string[] {
  return document.blocks.map((block) => `${block.kind}${block.level ?? ''}: ${blockText(document, block)}`);
}
