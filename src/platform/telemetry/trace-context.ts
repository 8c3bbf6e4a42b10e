// The place of a piece of work in a distributed trace, as the headers of the W3C Trace Context recommendation carry it
// (https://www.w3.org/TR/trace-context/, level 1).

export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits: the span that what follows belongs to. */
  readonly spanId: string;
  /** True when whoever began the trace records it. */
  readonly isSampled: boolean;
  /** What other systems on the way noted, passed on as it came; absent for nothing. */
  readonly state?: string;
}

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NO_ID = /^0+$/;
const UNUSABLE_VERSION = 'ff';
const FIRST_VERSION = '00';
const SAMPLED = 1;
/** What the recommendation asks everyone to pass on; longer ones are dropped whole. */
const STATE_CHARS_MAX = 512;

/** Returns null for headers that are absent or malformed: the work then begins a trace of its own. */
export function readTraceContext(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): TraceContext | null {
  const { traceparent, tracestate } = headers;
  if (typeof traceparent !== 'string') return null;
  const [, version, traceId = '', spanId = '', flags = '', rest] = FORM.exec(traceparent) ?? [];
  if (version === undefined || version === UNUSABLE_VERSION) return null;
  if (NO_ID.test(traceId) || NO_ID.test(spanId)) return null;
  // Later versions may say more; what the first one says stays where it is.
  if (version === FIRST_VERSION && rest !== undefined) return null;
  const isSampled = (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED;
  const state = typeof tracestate === 'string' && tracestate.length <= STATE_CHARS_MAX ? tracestate : '';
  return { traceId, spanId, isSampled, ...(state !== '' && { state }) };
}

export function traceHeaders({ traceId, spanId, isSampled, state }: TraceContext): Record<string, string> {
  const traceparent = `${FIRST_VERSION}-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
  return { traceparent, ...(state !== undefined && { tracestate: state }) };
}
