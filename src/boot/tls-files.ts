// Reads the certificate and key of the settings, and reports problems with them in terms of the settings.

import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { membersOf } from '../domain/json.ts';
import type { TlsFiles } from '../http/connections/protocol-handlers.ts';
import { SettingsProblem } from './read-settings.ts';
import type { Settings } from './settings.ts';

/** Null when TLS is not configured. @throws SettingsProblem if a file is unreadable or the two do not match */
export function readTlsFiles(settings: Pick<Settings, 'tlsCert' | 'tlsKey'>): TlsFiles | null {
  if (settings.tlsCert === null || settings.tlsKey === null) return null;
  const files = {
    cert: readPem('PINYON_TLS_CERT', settings.tlsCert),
    key: readPem('PINYON_TLS_KEY', settings.tlsKey),
  };
  try {
    createSecureContext(files);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SettingsProblem([`PINYON_TLS_CERT and PINYON_TLS_KEY do not match: ${reason}.`]);
  }
  return files;
}

function readPem(env: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const reason = membersOf(error).code ?? String(error);
    throw new SettingsProblem([`${env} names a file that cannot be read (${reason}): ${path}`]);
  }
}
