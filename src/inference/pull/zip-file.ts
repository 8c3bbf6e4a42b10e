// Reads one file of a zip archive whose checksum was verified before.
import { inflateRawSync } from 'node:zlib';
import { ModelsProblem } from '../settings/fields.ts';

// Layout: PKWARE APPNOTE 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16.
const END = 0x06054b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
const DEFLATED = 8;

/** @throws ModelsProblem when the archive has no such file */
export function fileInZip(zip: Buffer, name: string): Buffer {
  const signature = Buffer.alloc(4);
  signature.writeUInt32LE(END);
  const end = zip.lastIndexOf(signature, zip.length - END_BYTES);
  let at = end < 0 ? zip.length : zip.readUInt32LE(end + 16);
  while (at < end) {
    const [packed, nameBytes] = [zip.readUInt32LE(at + 20), zip.readUInt16LE(at + 28)];
    if (zip.toString('utf8', at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes) === name) {
      const local = zip.readUInt32LE(at + 42);
      const start = local + LOCAL_BYTES + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
      const bytes = zip.subarray(start, start + packed);
      return zip.readUInt16LE(at + 10) === DEFLATED ? inflateRawSync(bytes) : bytes;
    }
    at += ENTRY_BYTES + nameBytes + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  throw new ModelsProblem(`the archive holds no ${name}`);
}
