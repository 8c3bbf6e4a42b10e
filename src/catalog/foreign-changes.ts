// How a node learns that what it keeps in memory is older than the catalog.

/** What nodes keep in memory; and new jobs, for which they have free slots. */
export type Topic = 'access' | 'sessions' | 'indexes' | 'aliases' | 'jobs';

/** What a node of several knows of the others' changes. */
export interface NodeChanges extends ForeignChanges {
  /** Ends the time in which no other node may start; resolves when the listeners have read the state of the start. */
  start(): Promise<void>;
  /** Resolves when this node knows what was committed before the call; also when the database does not work. */
  catchUp(): Promise<void>;
  /** Milliseconds since this node last knew every change, as of `msSince`; infinite before the start. */
  ageMs(): number;
}

/** Changes of other nodes, and changes of this one that may have happened although they failed. */
export interface ForeignChanges {
  /**
   * The listener reads the present state. It is called after every such change until it succeeds; where nodes share the
   * catalog, also at the start and after changes of this node.
   */
  listen(topic: Topic, listener: () => Promise<void>): void;
}
