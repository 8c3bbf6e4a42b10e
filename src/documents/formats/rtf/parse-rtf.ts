// Parses RTF files: headings, paragraphs, lists and tables, with pages where their author ended them.
import type { ParsedDocument } from '../../document-model.ts';
import type { ParseLimits } from '../../limits.ts';
import { refusal } from '../../refusal.ts';
import { DocumentWriter } from '../../text/document-writer.ts';
import { RtfBlocks } from './rtf-blocks.ts';
import { RtfReader } from './rtf-reader.ts';
import { rtfTokens } from './rtf-tokens.ts';

const SIGNATURE = '{\\rtf';

/**
 * Parses an RTF file. Pictures, objects, headers and footers are skipped; notes stand where they are referred to.
 * @throws DocumentRefusal `corrupt`, `too-large`, `too-deep` or `empty`
 */
export function parseRtf(bytes: Uint8Array, limits: ParseLimits): ParsedDocument {
  const start = Buffer.from(bytes.subarray(0, SIGNATURE.length)).toString('latin1');
  if (start !== SIGNATURE) throw refusal('corrupt', { detail: 'it has no RTF signature' });
  const writer = new DocumentWriter(limits);
  const blocks = new RtfBlocks(writer);
  const reader = new RtfReader(blocks, limits.elementDepthMax);
  for (const token of rtfTokens(bytes)) reader.take(token);
  reader.finish();
  const pages = blocks.finish();
  return writer.finish('rtf', pages > 1 ? pages : undefined);
}
