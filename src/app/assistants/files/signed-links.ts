// Links that open the bytes of one file without a key: signed, short-lived, bound to one revision.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { BlobMissing, type Blobs } from '../../../blobs/port.ts';
import type { Catalog } from '../../../catalog/port.ts';
import { type AssistantFile, type FileState, revisionKey } from '../../../domain/assistants/file.ts';
import { LINK_LIFE_MS } from '../../../domain/assistants/limits.ts';
import type { FileLinks, LinkedFile } from '../../../domain/assistants/services.ts';
import { fault } from '../../../domain/faults.ts';
import { parseOwnJson } from '../../../domain/json.ts';
import { FileDamaged, verifiedBytes } from './verified-bytes.ts';

const MAC_BYTES = 32;
/** Failed files have no bytes, and files that are being deleted are hidden. */
const READABLE: readonly FileState[] = ['Processing', 'Available'];

export interface SignedLinksParts {
  readonly catalog: Pick<Catalog, 'assistants' | 'assistantFiles'>;
  readonly blobs: Pick<Blobs, 'get'>;
  /** Must have no other use. */
  readonly secret: Uint8Array;
  /** Returns the URL of a token. */
  readonly urlFor: (token: string) => string;
  readonly now?: () => number;
}

/** Assistant, file, revision, and the expiry in milliseconds. */
type Claims = readonly [string, string, string, number];

export class SignedLinks implements FileLinks {
  readonly #parts: SignedLinksParts;

  constructor(parts: SignedLinksParts) {
    this.#parts = parts;
  }

  urlOf({ assistantId, id, revisionId, state }: AssistantFile): string | null {
    if (!READABLE.includes(state)) return null;
    const claims: Claims = [assistantId, id, revisionId, this.#now() + LINK_LIFE_MS];
    const text = JSON.stringify(claims);
    return this.#parts.urlFor(Buffer.concat([this.#mac(text), Buffer.from(text)]).toString('base64url'));
  }

  async open(token: string): Promise<LinkedFile> {
    const [assistantId, fileId, revisionId, end] = this.#claimsOf(token);
    if (end <= this.#now()) throw fault('link-invalid');
    const { catalog } = this.#parts;
    const assistant = await catalog.assistants.byId(assistantId);
    const file = await catalog.assistantFiles.find({ assistantId, fileId });
    const isAsItWas = file?.revisionId === revisionId && READABLE.includes(file.state);
    if (assistant?.state !== 'Ready' || !isAsItWas) throw fault('assistant-file-not-found', { id: fileId });
    return { file, content: this.#contentOf(file) };
  }

  /** The file may be deleted during the read. */
  async *#contentOf({ assistantId, id, revisionId, sha256 }: AssistantFile): AsyncGenerator<Uint8Array> {
    try {
      const content = this.#parts.blobs.get(revisionKey({ assistantId, id: revisionId }));
      yield* verifiedBytes(content, sha256);
    } catch (error) {
      if (error instanceof FileDamaged) throw fault('assistant-file-damaged', { id });
      if (!(error instanceof BlobMissing)) throw error;
      // Replaced or deleted meanwhile; otherwise its bytes are lost.
      const now = await this.#parts.catalog.assistantFiles.find({ assistantId, fileId: id });
      const isLost = now?.revisionId === revisionId && READABLE.includes(now.state);
      throw fault(isLost ? 'assistant-file-damaged' : 'assistant-file-not-found', { id });
    }
  }

  /** Parses the claims only after verifying the signature. @throws link-invalid */
  #claimsOf(token: string): Claims {
    const bytes = Buffer.from(token, 'base64url');
    // Decoding ignores characters outside base64url and spare bits: several texts would decode to the same bytes.
    if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== token) throw fault('link-invalid');
    const text = bytes.subarray(MAC_BYTES).toString();
    if (!timingSafeEqual(bytes.subarray(0, MAC_BYTES), this.#mac(text))) throw fault('link-invalid');
    return parseOwnJson<Claims>(text);
  }

  #mac(text: string): Buffer {
    return createHmac('sha256', this.#parts.secret).update(text).digest();
  }

  #now(): number {
    return (this.#parts.now ?? Date.now)();
  }
}
