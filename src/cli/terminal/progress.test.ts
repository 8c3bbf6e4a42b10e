// Guarantees of progress: rate and time left where they can be told, few lines where nobody watches, one line where
// somebody does.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Io } from '../command.ts';
import { duration, Progress } from './progress.ts';

describe('progress', () => {
  function ioOf(columns: number | null): { readonly io: Io; readonly printed: () => string } {
    let text = '';
    const io: Io = {
      environment: {},
      out: () => assert.fail('results only'),
      err: (part) => {
        text += part;
      },
      control: (_, sequence) => {
        text += sequence;
      },
      ...{ outColumns: null, columns, input: null, signal: new AbortController().signal },
    };
    return { io, printed: () => text };
  }

  it('tells the rate and the time left', () => {
    const { io, printed } = ioOf(null);
    let now = 0;
    const progress = new Progress(io, 'Upsert', () => now);
    now = 10_000;
    progress.share(0.25);
    progress.count(500, 'record');
    assert.equal(printed(), 'Upsert: 25.0 %, 500 records, 50/s, 30 s left\n');
  });

  it('prints lines rarely where there is no terminal, and always the last', () => {
    const { io, printed } = ioOf(null);
    const progress = new Progress(io, 'Check', () => 0);
    for (let percent = 0; percent <= 100; percent++) progress.show(percent, `page ${percent}`);
    progress.end();
    const all = printed().trimEnd().split('\n');
    assert.equal(all.length, 11);
    assert.equal(all.at(-1), 'Check: 100.0 %, page 100');
  });

  it('draws one line that fits the terminal', () => {
    const { io, printed } = ioOf(60);
    let now = 0;
    const progress = new Progress(io, 'Upload', () => now);
    for (now = 0; now < 5_000; now += 500)
      progress.show(now / 50, 'a detail that is longer than the terminal is wide');
    progress.end();
    const drawn = printed().split('\r\u001b[K').slice(1);
    assert.equal(printed().split('\n').length, 2);
    assert.ok(drawn.every((line) => line.trimEnd().length < 60));
  });

  it('words durations as people do', () => {
    assert.deepEqual([400, 59_000, 240_000, 7_800_000].map(duration), ['1 s', '59 s', '4 min', '2 h 10 min']);
  });
});
