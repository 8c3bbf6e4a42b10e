// Warnings about how the server is run, for the console's first page.
import { statfs } from 'node:fs/promises';
import type { Settings } from './settings.ts';

const LOOPBACK = /^(127\.|::1$|localhost$)/;
const FULL_SHARE = 0.9;
const PERCENT = 100;

/** @param notices those of the models */
export async function warningsFor(
  { bind, tlsCert, dataDir }: Pick<Settings, 'bind' | 'tlsCert' | 'dataDir'>,
  notices: readonly string[],
): Promise<readonly string[]> {
  const isOpen = tlsCert === null && !LOOPBACK.test(bind);
  const { blocks, bavail } = await statfs(dataDir);
  const used = blocks === 0 ? 0 : 1 - bavail / blocks;
  const plain = `The server listens on ${bind} without TLS. Put a proxy with TLS in front, or set PINYON_TLS_CERT.`;
  const full = `The disk of the data directory is ${Math.round(used * PERCENT)} % full.`;
  return [...(isOpen ? [plain] : []), ...(used >= FULL_SHARE ? [full] : []), ...joined(notices)];
}

function joined(notices: readonly string[]): readonly string[] {
  return notices.length === 0 ? [] : [notices.join(' ')];
}
