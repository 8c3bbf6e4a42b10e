// The text format that Prometheus reads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { histogramSamples, prometheusText } from './prometheus-text.ts';

test('writes the help, the type and one line per sample of a family', () => {
  const text = prometheusText([
    {
      name: 'films_total',
      type: 'counter',
      help: 'Films.',
      samples: [
        { labels: {}, value: 3 },
        { labels: { genre: 'drama', year: '1999' }, value: 0.25 },
      ],
    },
  ]);
  const lines = ['# HELP films_total Films.', '# TYPE films_total counter', 'films_total 3'];
  assert.equal(text, [...lines, 'films_total{genre="drama",year="1999"} 0.25', ''].join('\n'));
});

test('omits families without samples', () => {
  assert.equal(prometheusText([{ name: 'none', type: 'gauge', help: 'Nothing.', samples: [] }]), '');
});

test('escapes label values, so that none breaks out of its quotes or its line', () => {
  const samples = [{ labels: { name: 'a"b\\c\nd' }, value: 1 }];
  const text = prometheusText([{ name: 'x', type: 'gauge', help: 'a\\b\nc', samples }]);
  assert.equal(text, '# HELP x a\\\\b\\nc\n# TYPE x gauge\nx{name="a\\"b\\\\c\\nd"} 1\n');
});

test('writes cumulative buckets that end with +Inf, the count', () => {
  const samples = histogramSamples({ a: 'b' }, { bounds: [0.1, 1], counts: [2, 0, 3], sum: 9.5 });
  const text = prometheusText([{ name: 'h', type: 'histogram', help: 'H.', samples }]);
  assert.deepEqual(text.split('\n').slice(2, -1), [
    'h_bucket{a="b",le="0.1"} 2',
    'h_bucket{a="b",le="1"} 2',
    'h_bucket{a="b",le="+Inf"} 5',
    'h_sum{a="b"} 9.5',
    'h_count{a="b"} 5',
  ]);
});
