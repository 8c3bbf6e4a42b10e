// Admission of writes to an index: held back for the moment in which its vectors change places.

/** Admits writes of data endpoints; other requests pass. */
export interface WriteAdmission {
  /** Call what it returns when the request has ended. Null for a request that needs none. @throws overloaded */
  enter(indexId: string, endpointId: string): (() => void) | Promise<() => void> | null;
}
