// Tests what is read from e-mail messages, whole and broken ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chunkDocument } from '../../chunks/chunk-document.ts';
import { outline, parsed, refusedFor } from '../../testing/parsed.ts';

function message(...lines: readonly string[]): string {
  return lines.join('\r\n');
}

const HEADERS = [
  'From: =?utf-8?q?J=C3=B6rg?= <joerg@example.com>',
  'To: Ann <ann@example.com>, crew@example.com',
  'Date: Tue, 05 Mar 2024 10:00:00 +0000',
  'Subject: =?utf-8?B?RmVycnkgcHJpY2Vz?=',
  'MIME-Version: 1.0',
];
const HEADER_BLOCKS = [
  'heading1: Ferry prices',
  'paragraph: From: Jörg <joerg@example.com>\nTo: Ann <ann@example.com>, crew@example.com\nDate: 2024-03-05T10:00:00.000Z',
];

test('reads the headers and the text of a message, whatever their encoding', async () => {
  const type = 'Content-Type: text/plain; charset=iso-8859-1';
  const body = ['Content-Transfer-Encoding: quoted-printable', '', 'It costs 12 cr=F6wns.', '', 'Yours'];
  const document = await parsed('a.eml', message(...HEADERS, type, ...body));
  assert.deepEqual(outline(document), [
    ...HEADER_BLOCKS,
    'paragraph: It costs 12 cröwns.',
    'paragraph: Yours',
  ]);
  assert.equal(document.type, 'eml');
  const [chunk] = chunkDocument(document, {
    tokensMax: 90,
    overlapTokensMax: 0,
    count: (text) => text.length / 4,
  });
  assert.deepEqual(chunk?.headings, ['Ferry prices']);
  assert.ok(document.text.slice(chunk?.start, chunk?.end).includes('12 cröwns'));
});

test('prefers the HTML of a message, and reads attached texts as sections', async () => {
  const parts = [
    'Content-Type: multipart/mixed; boundary=m',
    '',
    '--m',
    'Content-Type: multipart/alternative; boundary=a',
    '',
    '--a',
    'Content-Type: text/plain',
    '',
    'plain',
    '--a',
    'Content-Type: text/html; charset=utf-8',
    '',
    '<html><body><h1>Prices</h1><table><tr><td>City</td><td>Rate</td></tr></table></body></html>',
    '--a--',
    '--m',
    'Content-Type: text/csv; name=rates.csv',
    'Content-Disposition: attachment; filename=rates.csv',
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from('City,Rate\nRome,12').toString('base64'),
    '--m',
    'Content-Type: application/json; name=broken.json',
    'Content-Disposition: attachment; filename=broken.json',
    '',
    '{',
    '--m',
    'Content-Type: application/zip; name=all.zip',
    'Content-Disposition: attachment; filename=all.zip',
    '',
    'PK',
    '--m--',
  ];
  const [title = '', headers = ''] = HEADER_BLOCKS;
  assert.deepEqual(outline(await parsed('a.eml', message(...HEADERS, ...parts))), [
    title,
    `${headers}\nAttachments: rates.csv, broken.json, all.zip`,
    'heading2: Prices',
    'table: City | Rate',
    'heading2: rates.csv',
    'row: City: Rome; Rate: 12',
  ]);
});

test('refuses encrypted messages and files that are no message', async () => {
  const secret = 'Content-Type: multipart/encrypted; protocol="application/pgp-encrypted"; boundary=b';
  assert.equal(await refusedFor(parsed('a.eml', message(...HEADERS, secret, '', '--b--'))), 'encrypted');
  const sealed = 'Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m';
  assert.equal(await refusedFor(parsed('a.eml', message(...HEADERS, sealed, '', 'MIAG'))), 'encrypted');
  assert.equal(await refusedFor(parsed('a.eml', 'only a sentence')), 'corrupt');
  assert.equal(await refusedFor(parsed('a.eml', Buffer.from('%PDF-1.7'))), 'type-mismatch');
});

test('refuses messages that nest too deeply, or whose headers are too large', async () => {
  const nested = Array.from({ length: 300 }, (_, at) => [
    `Content-Type: multipart/mixed; boundary=b${at}`,
    '',
    `--b${at}`,
  ]).flat();
  assert.equal(await refusedFor(parsed('a.eml', message(...HEADERS, ...nested, '', 'text'))), 'too-deep');
  const headers = message(...HEADERS, 'X: y\r\n'.repeat(700_000), 'text');
  assert.equal(await refusedFor(parsed('a.eml', headers)), 'too-large');
});
