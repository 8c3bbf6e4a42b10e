// The bytes of one file of an import, read in ranges from any storage.

export interface FileBytes {
  /** In bytes. */
  readonly size: number;
  /** Exactly the bytes from `start` up to, not including, `end`. @throws FileProblem if the file has become shorter */
  read(start: number, end: number): Promise<Uint8Array>;
}

/** A file that is not what its name says. The message is for its owner and names no folder of the server. */
export class FileProblem extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'FileProblem';
  }
}

/** A file that is in memory. */
export function bytesInMemory(bytes: Uint8Array): FileBytes {
  return {
    size: bytes.byteLength,
    read: async (start, end) => {
      if (end > bytes.byteLength) throw new FileProblem('the file ends too early');
      return bytes.subarray(start, end);
    },
  };
}
