// Request ids: generated for every request, never taken from clients, so that each belongs to one log line.
import { randomUUID } from 'node:crypto';

export function newRequestId(): string {
  return randomUUID();
}

/** Under both names that clients look for. */
export function requestIdHeaders(id: string): Readonly<Record<string, string>> {
  return { 'x-pinecone-request-id': id, 'x-request-id': id };
}
