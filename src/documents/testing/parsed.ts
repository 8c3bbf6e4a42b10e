// Parses files in tests, and asks why they were refused.
import assert from 'node:assert/strict';
import { blockText, type ParsedDocument } from '../document-model.ts';
import { PARSE_LIMITS, type ParseLimits } from '../limits.ts';
import { type DocumentFile, parseDocument } from '../parse-document.ts';
import { DocumentRefusal, type RefusalReason } from '../refusal.ts';

/** The reason for which a promise rejects; the test fails when it does not, or for something else. */
export async function refusedFor(parsing: Promise<unknown>): Promise<RefusalReason> {
  const error = await parsing.then(
    () => assert.fail('the file was accepted'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof DocumentRefusal)) throw error;
  assert.ok(!/\{\w+\}/.test(error.message), `a place of the sentence is not filled: ${error.message}`);
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

/** `kind: text` of each block, headings with their level. */
export function outline(document: ParsedDocument): string[] {
  return document.blocks.map((block) => `${block.kind}${block.level ?? ''}: ${blockText(document, block)}`);
}
