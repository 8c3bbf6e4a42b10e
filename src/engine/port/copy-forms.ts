// The forms of copies of an index, and how their first bytes tell them apart.

/** `fast`: the engine's own, with its search structures; `portable`: namespaces and records, for any engine. */
export type CopyForm = 'fast' | 'portable';

/** Little-endian, where a fast copy of the embedded engine begins: `PNYB`. */
export const EMBEDDED_MAGIC = 0x42_59_4e_50;
const MAGIC_BYTES = 4;

/** True for the beginning of a copy that only the embedded engine reads. */
export function isOfEmbeddedEngine(bytes: Uint8Array): boolean {
  return (
    bytes.length >= MAGIC_BYTES &&
    new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true) === EMBEDDED_MAGIC
  );
}
