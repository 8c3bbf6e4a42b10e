// Files of this machine as contents of requests, read while they are sent.
import { randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { access, constants } from 'node:fs/promises';

export interface FileContent {
  readonly path: string;
  /** The file, perhaps with what surrounds it in a form. Reading it fails where the file has changed meanwhile. */
  readonly bytes: Blob;
  /** The media type. */
  readonly type: string;
}

/** The file as it is. @throws Error of the file system where it is absent or not readable */
export async function fileContent(path: string): Promise<FileContent> {
  return { path, bytes: await opened(path), type: 'application/octet-stream' };
}

export interface FormFile {
  readonly path: string;
  /** As the server shows it. */
  readonly name: string;
}

/**
 * A form (`multipart/form-data`, RFC 7578) with the field `file`, and others beside it. It is a blob because the runtime
 * does not report a file of a `FormData` that cannot be read: the request would never end.
 * @throws Error of the file system where it is absent or not readable
 */
export async function formContent(
  { path, name }: FormFile,
  fields: Readonly<Record<string, string>> = {},
): Promise<FileContent> {
  const boundary = `pinyon-${randomUUID()}`;
  const part = (disposition: string) => `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n`;
  const file = `${part(`name="file"; filename="${escaped(name)}"`)}Content-Type: application/octet-stream\r\n\r\n`;
  const others = Object.entries(fields).map(
    ([field, value]) => `\r\n${part(`name="${escaped(field)}"`)}\r\n${value}`,
  );
  const bytes = new Blob([file, await opened(path), ...others, `\r\n--${boundary}--\r\n`]);
  return { path, bytes, type: `multipart/form-data; boundary=${boundary}` };
}

/** As browsers do (HTML, "multipart form data"). */
function escaped(name: string): string {
  return name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');
}

async function opened(path: string): Promise<Blob> {
  // Opening a blob does not: it would fail only while it is sent.
  await access(path, constants.R_OK);
  return openAsBlob(path);
}
