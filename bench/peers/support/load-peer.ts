// Loads the packages that are compared with; they are installed beside this benchmark only.
import { existsSync, readFileSync } from 'node:fs';

/** ImportService an installed package; its types are the caller's, so that checking types needs no peer. */
export async function loadPeer<Module>(name: string): Promise<Module> {
  return (await import(name)) as Module;
}

const manifest = (name: string) => new URL(`../node_modules/${name}/package.json`, import.meta.url);

export function isInstalled(name: string): boolean {
  return existsSync(manifest(name));
}

export function versionOf(name: string): string {
  return (JSON.parse(readFileSync(manifest(name), 'utf8')) as { version: string }).version;
}
