// How a catalog learns that another node has changed what this node keeps in memory.

/** What nodes keep in memory; and new jobs, for which they have free slots. */
export type Topic = 'access' | 'indexes' | 'aliases' | 'jobs';

export interface ForeignChanges {
  /** The listener reads the present state. It is called once at the start, and after every change of any node. */
  listen(topic: Topic, listener: () => Promise<void>): void;
}
