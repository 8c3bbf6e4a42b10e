// Detects the type of a file from its content, its name and the declared MIME type, in this order of trust.
import { extname } from 'node:path';
import type { DocumentType } from './document-model.ts';
import { refusal } from './refusal.ts';

export const DOCUMENT_EXTENSIONS: Readonly<Record<string, DocumentType>> = {
  '.pdf': 'pdf',
  '.docx': 'docx',
  '.pptx': 'pptx',
  '.xlsx': 'xlsx',
  '.odt': 'odt',
  '.epub': 'epub',
  '.rtf': 'rtf',
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.txt': 'text',
  '.text': 'text',
  '.json': 'json',
  '.html': 'html',
  '.htm': 'html',
  '.csv': 'csv',
  '.eml': 'eml',
};

const MIME_TYPES: Readonly<Record<string, DocumentType>> = {
  'application/pdf': 'pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'text/markdown': 'markdown',
  'text/plain': 'text',
  'application/json': 'json',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'text/csv': 'csv',
  'message/rfc822': 'eml',
  'application/vnd.oasis.opendocument.text': 'odt',
  'application/epub+zip': 'epub',
  'application/rtf': 'rtf',
  'text/rtf': 'rtf',
};

const SUPPORTED = Object.keys(DOCUMENT_EXTENSIONS).join(', ');
/** PDF readers accept this many bytes before the signature. A text file may mention the signature, too. */
const PDF_SIGNATURE_BYTES_MAX = 1024;
const PDF_SIGNATURE = Buffer.from('%PDF-');
/** The signature of old Office files, and of the container that encrypts new ones. */
const COMPOUND_FILE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const ENCRYPTED_OFFICE = Buffer.from('EncryptedPackage', 'utf16le');
const ZIP_SIGNATURE = Buffer.from('PK\x03\x04');
/** The types that are zip archives, each with bytes that only such a file has in the names or starts of its parts. */
const ARCHIVES: readonly (readonly [type: DocumentType, mark: string])[] = [
  ['docx', 'word/document.xml'],
  ['pptx', 'ppt/presentation.xml'],
  ['xlsx', 'xl/workbook.xml'],
  ['odt', 'application/vnd.oasis.opendocument.text'],
  ['epub', 'META-INF/container.xml'],
];

/** The type that the extension of a name stands for; undefined when it is not supported. */
export function typeOfName(name: string): DocumentType | undefined {
  return DOCUMENT_EXTENSIONS[extname(name.trim()).toLowerCase()];
}

/**
 * Detects the type of a file.
 * @param bytes the whole file
 * @throws DocumentRefusal `empty`, `unsupported-type`, `type-mismatch`, `encrypted` or `corrupt`
 */
export function detectType(bytes: Uint8Array, name: string, mimeType?: string): DocumentType {
  if (bytes.length === 0) throw refusal('empty');
  const named = namedType(name, mimeType);
  const found = signatureOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), named);
  if (named === undefined && extname(name) !== '')
    throw refusal('unsupported-type', { supported: SUPPORTED });
  if (found === undefined) return textType(named);
  if (named === undefined || named === found) return found;
  throw refusal('type-mismatch', { named, found });
}

/** The type that the sender of a file declares: by its extension, or without one by its media type. */
export function namedType(name: string, mimeType?: string): DocumentType | undefined {
  return typeOfName(name) ?? (extname(name) === '' ? typeOfMime(mimeType) : undefined);
}

function typeOfMime(mimeType: string | undefined): DocumentType | undefined {
  return MIME_TYPES[(mimeType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''];
}

/** Detects the types that have a signature. */
function signatureOf(bytes: Buffer, named: DocumentType | undefined): DocumentType | undefined {
  const pdfAt = bytes.subarray(0, PDF_SIGNATURE_BYTES_MAX).indexOf(PDF_SIGNATURE);
  if (pdfAt === 0 || (pdfAt > 0 && named === 'pdf')) return 'pdf';
  if (bytes.subarray(0, ZIP_SIGNATURE.length).equals(ZIP_SIGNATURE)) return archiveType(bytes, named);
  if (!bytes.subarray(0, COMPOUND_FILE.length).equals(COMPOUND_FILE)) return undefined;
  if (bytes.includes(ENCRYPTED_OFFICE)) throw refusal('encrypted');
  throw refusal('unsupported-type', { supported: SUPPORTED });
}

/** The type of a zip archive is the named one where that is an archive; its parser checks the parts. */
function archiveType(bytes: Buffer, named: DocumentType | undefined): DocumentType {
  if (named !== undefined && isArchive(named)) return named;
  return ARCHIVES.find(([, mark]) => bytes.includes(mark))?.[0] ?? 'docx';
}

function isArchive(type: DocumentType): boolean {
  return ARCHIVES.some(([archive]) => archive === type);
}

function textType(named: DocumentType | undefined): DocumentType {
  if (named === undefined) throw refusal('unsupported-type', { supported: SUPPORTED });
  if (named === 'pdf' || isArchive(named)) {
    throw refusal('corrupt', { detail: `it has no ${named.toUpperCase()} signature` });
  }
  return named;
}
