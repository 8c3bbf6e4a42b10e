// Copies of indexes on other nodes, as the node that moves an index sees them.
import type { CopyStep } from '../../domain/nodes/moves.ts';
import type { Node } from '../../domain/nodes/node.ts';
import type { Lsn } from '../../engine/port/reader-and-writer.ts';

export interface RemoteCopy {
  readonly node: Node;
  readonly indexId: string;
  readonly storageId: string;
}

/** What a copy has, to be compared with its source. */
export interface CopyState {
  readonly lsn: Lsn;
  readonly recordCount: number;
  readonly namespaceCount: number;
}

/** Each call is durable at the other node when it resolves. @throws what the other node refuses, and errors of the connection */
export interface RemoteCopies {
  /** Makes the copy from an export. */
  import(
    copy: RemoteCopy,
    bytes: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<{ readonly recordCount: number }>;
  /** Makes the copy empty. Safe to repeat. */
  create(copy: RemoteCopy): Promise<void>;
  /** @param content records as `frameContent` packs them */
  upsert(copy: RemoteCopy, namespace: string, content: Uint8Array): Promise<void>;
  follow(copy: RemoteCopy, step: CopyStep): Promise<void>;
  describe(copy: RemoteCopy): Promise<CopyState>;
  /** Removes the copy and its note in the catalog. Safe to repeat. */
  drop(copy: RemoteCopy): Promise<void>;
  /** Resolves when the node knows what was committed before the call. */
  refresh(node: Node): Promise<void>;
}
