// Tests what is read from HTML pages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outline, parsed, refusedFor } from '../testing/parsed.ts';

async function outlineOf(html: string): Promise<string[]> {
  return outline(await parsed('a.html', html));
}

test('distinguishes headings, paragraphs, lists, tables and code', async () => {
  const html = `<html><head><title>T &amp; Co</title></head><body>
    <h1>Head</h1><p>One <b>bold</b>\n word.<br>Second line</p>loose text
    <ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>
    <table><thead><tr><th>X</th><th>Y</th></tr></thead><tr><td><p>1</p><p>one</p></td><td>2</td></tr></table>
    <pre>  code\n    more</pre></body></html>`;
  assert.deepEqual(await outlineOf(html), [
    'heading1: T & Co',
    'heading1: Head',
    'paragraph: One bold word.\nSecond line',
    'paragraph: loose text',
    'list: - a\n  - b\n- c',
    'table: X | Y\n1 one | 2',
    'code:   code\n    more',
  ]);
});

test('makes headings of bold paragraphs, also between those of a list, but not of bold sentences', async () => {
  const html =
    '<p><b>Limits</b></p><p><strong>Warning!</strong></p><p><b>One</b> word</p>' +
    '<ol><li><p><b>Tables in a join</b></p><p>At most 64.</p></li><li><b>kept</b></li></ol>' +
    '<table><tr><td><p><b>cell</b></p></td><td>1</td></tr></table>';
  assert.deepEqual(await outlineOf(html), [
    'heading6: Limits',
    'paragraph: Warning!',
    'paragraph: One word',
    'heading6: Tables in a join',
    'list: At most 64.\n- kept',
    'table: cell | 1',
  ]);
});

test('leaves out tables of contents, which link to the headings of their page', async () => {
  const html =
    '<p><a href="#1">1. Start</a><br><a href="#2">2. End</a></p><ul><li><a href="#1">Start</a><ul>' +
    '<li><a href="#2">End</a></li></ul></li></ul><h2><a href="#1">Start</a></h2>' +
    '<p><a href="#2">see</a> below</p><ul><li><a href="other.html">other</a></li></ul>' +
    '<dl><dt><a href="#t">term</a></dt><dd>meaning</dd></dl><p hidden><b>x</b></p><p><b hidden>x</b>end</p>';
  assert.deepEqual(await outlineOf(html), [
    'heading2: Start',
    'paragraph: see below',
    'list: - other',
    'paragraph: term',
    'paragraph: meaning',
    'paragraph: end',
  ]);
});

test('skips scripts, styles, comments and hidden elements', async () => {
  const html =
    '<p>seen</p><script>alert("x")</script><style>p{}</style><!-- note --><noscript>no</noscript>' +
    '<div hidden>a<p>b</p></div><span style="display: none">c</span><i aria-hidden="true">d</i><svg><text>e</text></svg><p>end</p>';
  assert.deepEqual(await outlineOf(html), ['paragraph: seen', 'paragraph: end']);
});

test('skips no more than the script when its tag is never closed', async () => {
  assert.deepEqual(await outlineOf('<p>seen</p><script>let a = "<p>not seen</p>'), ['paragraph: seen']);
});

test('reads on correctly after unclosed and crossing tags', async () => {
  const found = await outlineOf(
    '<p>one<p>two<ul><li>a<li>b</ul><table><tr><td>1<td>2<tr><td>3</table>three</b></p>',
  );
  assert.deepEqual(found.slice(0, 5), [
    'paragraph: one',
    'paragraph: two',
    'list: - a\n- b',
    'table: 1 | 2\n3',
    'paragraph: three',
  ]);
});

test('keeps a table in a list, and a list in a table, in one block', async () => {
  const html =
    '<ul><li>a<table><tr><td>1</td><td>2</td></tr></table></li></ul><table><tr><td><ul><li>x</li></ul></td><td>y</td></tr></table>';
  assert.deepEqual(await outlineOf(html), ['list: - a\n1 | 2', 'table: - x | y']);
});

test('uses the declared encoding where the bytes do not decide', async () => {
  const cyrillic = Buffer.concat([
    Buffer.from('<meta charset="windows-1251"><p>'),
    Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]),
  ]);
  assert.equal((await parsed('a.html', cyrillic)).text, 'Привет');
  assert.equal((await parsed('a.html', '<meta charset="windows-1251"><p>Zoë')).text, 'Zoë');
  const unknown = Buffer.from('<meta charset="klingon"><p>Zo\xeb', 'latin1');
  assert.equal((await parsed('a.html', unknown)).text, 'Zoë');
});

test('refuses elements nested beyond the limit', async () => {
  const deep = '<div>'.repeat(100_000);
  assert.equal(await refusedFor(parsed('a.html', `${deep}x`)), 'too-deep');
});

test('ignores entities that the document defines', async () => {
  const html =
    '<!DOCTYPE html [<!ENTITY a "aaaa"><!ENTITY f SYSTEM "file:///etc/hostname">]><p>x &a; &f; y</p>';
  const [, ...rest] = (await outlineOf(html)).join(' ').split('x ');
  assert.match(rest.join(), /&a; &f; y/);
});
