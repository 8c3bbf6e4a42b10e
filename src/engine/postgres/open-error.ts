// Why an engine on PostgreSQL cannot be opened, for the person who starts the server.

export class EngineOpenError extends Error {
  /** @param message half a sentence without credentials, after the name of the database */
  constructor(place: string, message: string, cause?: unknown) {
    super(`the database ${place} cannot hold records: ${message}.`, { cause });
    this.name = 'EngineOpenError';
  }
}
