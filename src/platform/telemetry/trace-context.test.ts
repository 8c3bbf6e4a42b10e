// Guarantees of trace contexts: what callers send is read as the recommendation says, and never trusted to be well formed.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { readTraceContext, traceHeaders } from './trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

it('reads the headers of a caller, with the state of others', () => {
  const traceparent = `00-${TRACE}-${SPAN}-01`;
  assert.deepEqual(readTraceContext({ traceparent, tracestate: 'a=1' }), {
    traceId: TRACE,
    spanId: SPAN,
    isSampled: true,
    state: 'a=1',
  });
  assert.equal(readTraceContext({ traceparent: `00-${TRACE}-${SPAN}-02` })?.isSampled, false);
});

it('reads later versions, whatever they add at the end', () => {
  assert.equal(readTraceContext({ traceparent: `cc-${TRACE}-${SPAN}-01-more` })?.traceId, TRACE);
});

it('ignores headers that are absent or malformed', () => {
  const wrong = [
    undefined,
    '',
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-01-more`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  ];
  for (const traceparent of wrong) {
    assert.equal(readTraceContext({ traceparent }), null, traceparent ?? 'none');
  }
  fc.assert(
    fc.property(fc.string(), (traceparent) => {
      assert.equal(readTraceContext({ traceparent }), null);
    }),
    { seed: 39 },
  );
});

it('writes what it reads', () => {
  const hex = (digits: number) =>
    fc.stringMatching(new RegExp(`^[0-9a-f]{${digits}}$`)).filter((text) => !/^0+$/.test(text));
  fc.assert(
    fc.property(hex(32), hex(16), fc.boolean(), (traceId, spanId, isSampled) => {
      const context = { traceId, spanId, isSampled };
      assert.deepEqual(readTraceContext(traceHeaders(context)), context);
    }),
    { seed: 39 },
  );
});
