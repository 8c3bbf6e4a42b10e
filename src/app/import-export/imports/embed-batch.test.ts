// Texts of imported records that a provider refuses: their rows are named, and no others are lost with them.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { packRecords, unpackRecords } from '../../../engine/port/packed-records.ts';
import {
  fakeProvider,
  inferenceOverHttp,
  json,
} from '../../../inference/providers/http/testing/fake-provider.ts';
import { embedBatch } from './embed-batch.ts';

const FORBIDDEN = 'forbidden';

describe('an imported batch whose provider refuses texts', () => {
  for (const truncate of ['NONE', 'END'] as const)
    it(`refuses the rows of these, and takes the others: truncate ${truncate}`, async () => {
      const fake = await fakeProvider((received, response) => {
        const inputs = received.body.input as readonly string[];
        if (inputs.some((text) => text.includes(FORBIDDEN)))
          return void response.writeHead(400).end('{"error":"a forbidden word"}');
        json({ data: inputs.map((_, index) => ({ index, embedding: [3, 4] })) })(received, response);
      });
      after(() => fake.close());
      const { inference } = inferenceOverHttp({ provider: 'openai', url: fake.url, dimensions: 2 });
      const source = inference.embeddingSource('m') ?? assert.fail();
      const writeParameters = { truncate };
      const embed = {
        model: 'm',
        textField: 'text',
        writeParameters,
        readParameters: {},
        source,
        remaking: null,
      };
      const texts = Array.from({ length: 40 }, (_, at) => (at % 17 === 3 ? FORBIDDEN : `text ${at}`));
      const record = (id: string) => ({ id, values: null, sparse: null, metadataJson: null });
      const { records, refused } = await embedBatch(
        {
          index: { name: 'docs', dimension: 2, embed, documents: null },
          inference,
          signal: new AbortController().signal,
        },
        {
          file: 'texts.jsonl',
          records: packRecords(
            texts.map((_, at) => record(`r${at}`)),
            null,
          ),
          pending: texts.map((dense, at) => ({ row: at + 1, dense, sparse: null })),
          refused: [],
        },
      );
      const reason =
        "Field 'text' is refused by model 'm': its provider answered status 400: a forbidden word.";
      assert.deepEqual(
        refused,
        [3, 20, 37].map((at) => ({ file: 'texts.jsonl', row: at + 1, id: `r${at}`, reason })),
      );
      assert.deepEqual(
        (records === null ? [] : unpackRecords(records)).map(({ id }) => id),
        texts.flatMap((text, at) => (text === FORBIDDEN ? [] : [`r${at}`])),
      );
    });
});
