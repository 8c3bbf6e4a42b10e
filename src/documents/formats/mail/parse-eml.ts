// Parses e-mail messages: the subject as heading, who wrote to whom and when, the body, and attached texts.
import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime';
import type { ParsedDocument } from '../../document-model.ts';
import type { ParseLimits } from '../../limits.ts';
import { DocumentRefusal, refusal } from '../../refusal.ts';
import { DocumentWriter } from '../../text/document-writer.ts';
import { parseHtml } from '../parse-html.ts';
import { parseText } from '../parse-text.ts';
import { attachedParser } from './attached-texts.ts';

/** At least one of these is in every message that was ever sent. */
const USUAL_HEADERS = new Set(['from', 'sender', 'to', 'date', 'subject', 'message-id', 'received']);
const ENCRYPTED = /^\s*(?:multipart\/encrypted|application\/(?:x-)?pkcs7-mime(?!.*signed-data))/is;
const HEADING_LEVEL_MAX = 6;

/**
 * Parses a message. Attached texts, tables and pages are sections of their own; other attachments are only named.
 * @throws DocumentRefusal `corrupt`, `encrypted`, `too-large`, `too-deep` or `empty`
 */
export async function parseEml(bytes: Uint8Array, limits: ParseLimits): Promise<ParsedDocument> {
  const mail = await readMessage(bytes, limits);
  const writer = new DocumentWriter(limits);
  if (mail.subject) writer.add({ kind: 'heading', level: 1, text: mail.subject });
  writer.add({ kind: 'paragraph', text: headerLines(mail).join('\n') });
  addBody(mail, writer, limits);
  for (const attachment of mail.attachments) addAttached(attachment, writer, limits);
  return writer.finish('eml');
}

async function readMessage(bytes: Uint8Array, limits: ParseLimits): Promise<Email> {
  const mail = await PostalMime.parse(bytes, {
    attachmentEncoding: 'arraybuffer',
    maxNestingDepth: limits.depthMax,
  }).catch((error: unknown) => {
    throw limitRefusal(error, limits) ?? notAMessage();
  });
  if (!mail.headers.some(({ key }) => USUAL_HEADERS.has(key))) throw notAMessage();
  const type = mail.headers.find(({ key }) => key === 'content-type')?.value ?? '';
  if (ENCRYPTED.test(type)) throw refusal('encrypted');
  return mail;
}

/** The bounds of the library are told by the texts of its errors alone. */
function limitRefusal(error: unknown, { depthMax }: ParseLimits): DocumentRefusal | undefined {
  const text = error instanceof Error ? error.message : '';
  if (/nesting depth/i.test(text)) return refusal('too-deep', { max: depthMax });
  return /header size/i.test(text) ? refusal('too-large', { detail: 'its headers exceed 2 MiB' }) : undefined;
}

function notAMessage(): DocumentRefusal {
  return refusal('corrupt', { detail: 'it is not an e-mail message' });
}

function headerLines(mail: Email): string[] {
  const fields: readonly (readonly [string, string])[] = [
    ['From', addressesText(mail.from === undefined ? [] : [mail.from])],
    ['To', addressesText(mail.to)],
    ['Cc', addressesText(mail.cc)],
    ['Date', mail.date ?? ''],
    [
      'Attachments',
      mail.attachments
        .map(({ filename }) => filename ?? '')
        .filter(Boolean)
        .join(', '),
    ],
  ];
  return fields.filter(([, text]) => text !== '').map(([name, text]) => `${name}: ${text}`);
}

function addressesText(addresses: readonly Address[] = []): string {
  return addresses.map(addressText).filter(Boolean).join(', ');
}

function addressText({ name, address, group }: Address): string {
  if (group !== undefined) return `${name}: ${addressesText(group)}`;
  return name && address ? `${name} <${address}>` : name || address || '';
}

/** Most messages have their text twice; its HTML has headings, lists and tables. */
function addBody({ html, text }: Email, writer: DocumentWriter, limits: ParseLimits): void {
  if (html?.trim() && append(() => parseHtml(Buffer.from(html), limits), writer)) return;
  if (text?.trim()) append(() => parseText(Buffer.from(text), limits), writer);
}

function addAttached(
  { filename, mimeType, content }: Attachment,
  writer: DocumentWriter,
  limits: ParseLimits,
): void {
  const parse = attachedParser(filename ?? '', mimeType);
  if (parse === undefined) return;
  const bytes = typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);
  append(() => parse(bytes, limits), writer, filename ?? mimeType);
}

/** @returns false where the part has no text, or cannot be read */
function append(parse: () => ParsedDocument, writer: DocumentWriter, title?: string): boolean {
  const part = readable(parse);
  if (part === undefined) return false;
  if (title !== undefined) writer.add({ kind: 'heading', level: 2, text: title });
  const below = title === undefined ? 1 : 2;
  for (const { kind, level, start, end } of part.blocks) {
    const shown = level === undefined ? {} : { level: Math.min(level + below, HEADING_LEVEL_MAX) };
    writer.add({ kind, ...shown, text: part.text.slice(start, end) });
  }
  return true;
}

/** A part that is empty or damaged does not refuse the message; one that exceeds a limit does. */
function readable(parse: () => ParsedDocument): ParsedDocument | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof DocumentRefusal && (error.reason === 'empty' || error.reason === 'corrupt'))
      return undefined;
    throw error;
  }
}
