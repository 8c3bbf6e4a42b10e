// The Rust client, driven by a program that is compiled beside it.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from '../client.ts';
import { run, runOrFail } from '../command.ts';
import { readResults } from '../result-lines.ts';

const DRIVER = fileURLToPath(new URL('./driver.rs', import.meta.url));
const VERSION = '0.1.2';
const MANIFEST = `[package]
name = "driver"
version = "0.0.0"
edition = "2021"

[dependencies]
pinecone-sdk = "=${VERSION}"
serde_json = "1"
tokio = { version = "1", features = ["macros", "rt-multi-thread"] }

[profile.dev]
debug = 0
`;

export const rustDrivers: readonly Client[] = [
  {
    name: 'rust',
    title: `Rust ${VERSION}: every public method`,
    needs: ['cargo'],
    packages: [`pinecone-sdk@${VERSION}`],
    tls: false,
    settings: {},
    exceptions: [],
    install: async (folder) => {
      writeFileSync(join(folder, 'Cargo.toml'), MANIFEST);
      placeDriver(folder);
      await runOrFail(['cargo', 'build', '--quiet'], { folder, log: 'install' });
    },
    run: async ({ folder, variables }) => {
      placeDriver(folder);
      return readResults(await run(['cargo', 'run', '--quiet'], { folder, log: 'tests', env: variables }));
    },
  },
];

function placeDriver(folder: string): void {
  mkdirSync(join(folder, 'src'), { recursive: true });
  cpSync(DRIVER, join(folder, 'src/main.rs'));
}
