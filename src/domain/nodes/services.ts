// What administrators do with nodes that have records of their own.
import type { AssistantMove, IndexMove } from './moves.ts';
import type { Node } from './node.ts';

/** Of an index or an assistant. */
export interface IndexName {
  readonly projectId: string;
  readonly name: string;
}

export interface NodeAdministration {
  /** Whose owners may use it: the server's own organization. */
  readonly organizationId: string;
  /** None where nodes have no records of their own. */
  list(): Promise<readonly Node[]>;
  /**
   * Lets a node get no new indexes, and has those that it has moved to others; or ends that.
   * @throws node-not-found
   */
  drain(id: string, isDraining: boolean): Promise<Node>;
  /** Forgets a node that is gone for good. @throws node-not-found, node-in-use */
  forget(id: string): Promise<void>;
  /**
   * Begins to move an index; while a move is under way, that one is returned.
   * @param to id or address of a node
   * @throws index-not-found, node-not-found, move-refused
   */
  move(index: IndexName, to: string): Promise<IndexMove>;
  /**
   * Takes an index over from a node that is dead for good, and begins to make it anew from a backup.
   * @param backup an id, or `newest`
   * @throws index-not-found, node-not-found, backup-not-found, move-refused
   */
  moveFromBackup(index: IndexName, to: string, backup: string): Promise<IndexMove>;
  /** The latest move; null when there was none. @throws index-not-found */
  latestMove(index: IndexName): Promise<IndexMove | null>;
  /**
   * Begins to move an assistant, as `move` does.
   * @param fromFiles takes it over from a node that is dead for good, and processes its files again
   * @throws assistant-not-found, node-not-found, move-refused
   */
  moveAssistant(assistant: IndexName, to: string, fromFiles: boolean): Promise<AssistantMove>;
  /** @throws assistant-not-found */
  latestAssistantMove(assistant: IndexName): Promise<AssistantMove | null>;
}
