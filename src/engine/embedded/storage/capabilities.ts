// What the embedded engine declares that it can do.
import { DIMENSION_MAX } from '../../../domain/limits.ts';
import type { EngineCapabilities } from '../../port/capabilities.ts';

const MEBIBYTE = 2 ** 20;

export const CAPABILITIES: EngineCapabilities = {
  dimensionMax: DIMENSION_MAX,
  sparseExact: true,
  documents: true,
  ranksTexts: true,
  tracksChanges: true,
  history: true,
  branches: true,
  memoryProfiles: true,
  portableCopies: true,
  writeRecordsMax: 10_000,
  writeBytesMax: 32 * MEBIBYTE,
  mergedRecordsMax: 10_000,
};
