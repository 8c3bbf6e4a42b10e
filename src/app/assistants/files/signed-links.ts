// Links by which the bytes of one file can be read without a key: signed, short-lived, bound to what the file holds.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { BlobMissing, type Blobs } from '../../../blobs/port.ts';
import type { Catalog } from '../../../catalog/port.ts';
import { type AssistantFile, type FileState, revisionKey } from '../../../domain/assistants/file.ts';
import { LINK_LIFE_MS } from '../../../domain/assistants/limits.ts';
import type { FileLinks, LinkedFile } from '../../../domain/assistants/services.ts';
import { fault } from '../../../domain/faults.ts';

const MAC_BYTES = 32;
/** Of a file that has failed nothing is left, and of one that is being deleted nothing is shown. */
const READABLE: readonly FileState[] = ['Processing', 'Available'];

export interface SignedLinksParts {
  readonly catalog: Pick<Catalog, 'assistants' | 'assistantFiles'>;
  readonly blobs: Pick<Blobs, 'get'>;
  /** Should serve nothing else. */
  readonly secret: Uint8Array;
  /** The address that a token is read at. */
  readonly urlFor: (token: string) => string;
  readonly now?: () => number;
}

/** Assistant, file, revision, and the time in milliseconds at which the link ends. */
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

  /** A file may go at this very moment. */
  async *#contentOf({ assistantId, id, revisionId }: AssistantFile): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#parts.blobs.get(revisionKey({ assistantId, id: revisionId }));
    } catch (error) {
      throw error instanceof BlobMissing ? fault('assistant-file-not-found', { id }) : error;
    }
  }

  /** Read only once the signature is known to be ours. @throws link-invalid */
  #claimsOf(token: string): Claims {
    const bytes = Buffer.from(token, 'base64url');
    // Decoding ignores characters outside base64url and spare bits: several texts would decode to the same bytes.
    if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== token) throw fault('link-invalid');
    const text = bytes.subarray(MAC_BYTES).toString();
    if (!timingSafeEqual(bytes.subarray(0, MAC_BYTES), this.#mac(text))) throw fault('link-invalid');
    return JSON.parse(text) as Claims;
  }

  #mac(text: string): Buffer {
    return createHmac('sha256', this.#parts.secret).update(text).digest();
  }

  #now(): number {
    return (this.#parts.now ?? Date.now)();
  }
}
