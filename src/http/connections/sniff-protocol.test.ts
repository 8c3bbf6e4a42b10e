// Guarantees of protocol detection.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { protocolOf } from './sniff-protocol.ts';

const HTTP2_PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

test('takes a first byte of 0x16 for TLS, whatever follows', () => {
  assert.equal(protocolOf(Buffer.from([0x16])), 'tls');
  assert.equal(protocolOf(Buffer.from([0x16, 0x03, 0x01, 0x00])), 'tls');
});

test('recognizes the HTTP/2 preface as soon as no HTTP/1.1 method can begin with it, never earlier', () => {
  for (let length = 0; length < 4; length += 1) {
    assert.equal(protocolOf(HTTP2_PREFACE.subarray(0, length)), undefined);
  }
  assert.equal(protocolOf(HTTP2_PREFACE.subarray(0, 4)), 'http2');
  assert.equal(protocolOf(HTTP2_PREFACE), 'http2');
});

test('takes methods that share letters with the preface for HTTP/1.1', () => {
  for (const start of ['POST /', 'PATCH', 'PU', 'PROPFIND', 'GET / HTTP/1.1', 'DELETE', '\0', 'PRINT /']) {
    assert.equal(protocolOf(Buffer.from(start)), 'http1', start);
  }
});
