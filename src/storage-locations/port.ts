// What use cases may use of storage locations: the addresses of imports and exports, and the rules that allow them.
import type { Blobs } from '../blobs/port.ts';
import type { SourceRules } from './open-source.ts';

export type { SourceRules } from './open-source.ts';
export { AWS_STORAGE, type PublicStorage } from './public-bucket.ts';
export type { S3Access } from './s3-source.ts';
export { SourceProblem } from './source.ts';
export { BadStorageUri, isUnder, parseStorageUri, type StorageLocation } from './storage-uri.ts';

/** Opens the address that an export writes to. @throws SourceProblem when the server may not write there */
export type OpenExportLocation = (uri: string, rules: SourceRules) => Promise<Blobs>;
