// Guarantees of the configurations of proxies that the documentation gives: what the server takes passes through them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { URL_BYTES_MAX } from '../domain/limits.ts';

const SAMPLES = ['deploy/nodes/nginx.conf', 'docs/containers.md'];
const BYTES_BY_UNIT: Readonly<Record<string, number>> = { k: 1024, m: 1024 * 1024 };

const bytesOf = (size: string) => Number.parseInt(size, 10) * (BYTES_BY_UNIT[size.slice(-1)] ?? 1);

test('lets the longest URL pass through nginx, which keeps a request line in one buffer', () => {
  for (const path of SAMPLES) {
    const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
    // ingress-nginx writes the same setting with hyphens.
    const sizes = [...text.matchAll(/large[_-]client[_-]header[_-]buffers:?\s+"?\d+ (\d+[km]?)/g)];
    assert.ok(sizes.length > 0, path);
    for (const [, size = ''] of sizes) assert.ok(bytesOf(size) > URL_BYTES_MAX, `${path}: ${size}`);
  }
});
