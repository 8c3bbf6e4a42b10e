// Trains the word tables of the built-in encoders from WordNet and the Jargon File; --check only tells whether they differ.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tablesFrom, VECTOR_LENGTH } from '../../src/inference/builtin/table-format.ts';
import { associations } from './association.ts';
import { corpusOf } from './corpus.ts';
import { decompose } from './decompose.ts';
import { readJargon } from './jargon.ts';
import { relatedFile } from './related-writer.ts';
import { fetchSources } from './sources.ts';
import { tableFile } from './table-writer.ts';
import { wordShares } from './word-shares.ts';
import { readExceptions, readSynsets } from './wordnet.ts';

const FOLDER = new URL('../../src/inference/builtin/tables/', import.meta.url);
const TABLE = fileURLToPath(new URL('english.bin', FOLDER));
const RELATED = fileURLToPath(new URL('related.bin', FOLDER));

function step<Result>(name: string, work: () => Result): Result {
  const began = performance.now();
  const result = work();
  console.log(`${name}: ${((performance.now() - began) / 1_000).toFixed(1)} s`);
  return result;
}

const { wordnet, jargon } = step('sources', fetchSources);
const synsets = step('synsets', () => readSynsets(wordnet));
const entries = readJargon(jargon);
const corpus = step('corpus', () => corpusOf(synsets, entries));
const matrix = step('associations', () => associations(corpus));
const vectors = step('decomposition', () => decompose(matrix, VECTOR_LENGTH));
const glosses = synsets.map(({ lemmas, gloss }) => `${lemmas.join(' ')} ${gloss}`);
const shares = step('shares', () => wordShares(glosses, entries));
const exceptions = readExceptions(wordnet);
const file = tableFile({ shares, stems: corpus.stems, vectors, exceptions });
console.log(
  `${corpus.stems.length} vectors, ${shares.words.size} words, ${shares.stems.size} stems, ` +
    `${matrix.values.length} associations, ${file.length} bytes`,
);
save(TABLE, file);
const wordTable = tablesFrom(Uint8Array.from(file).buffer).tables;
save(
  RELATED,
  step('related words', () => relatedFile(shares.words, wordTable)),
);

/** The first file is saved before the second is made, which looks words up in it. */
function save(path: string, bytes: Uint8Array): void {
  if (!process.argv.includes('--check')) writeFileSync(path, bytes);
  else if (!readFileSync(path).equals(bytes)) {
    console.error(`${basename(path)} is not what its trainer makes`);
    process.exitCode = 1;
  }
}
