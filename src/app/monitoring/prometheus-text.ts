// Writes metrics in the Prometheus text exposition format, version 0.0.4.

export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  /** Of histograms: `_bucket`, `_sum` or `_count`. */
  readonly suffix?: string;
  readonly labels: Labels;
  readonly value: number;
}

export interface Family {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** Omits families without samples. */
export function prometheusText(families: readonly Family[]): string {
  return families.map(familyText).join('');
}

/** Returns the samples of one histogram. `counts` has one entry more than `bounds`, for values above the last. */
export function histogramSamples(
  labels: Labels,
  fields: { readonly bounds: readonly number[]; readonly counts: ArrayLike<number>; readonly sum: number },
): readonly Sample[] {
  let total = 0;
  const buckets = [...fields.bounds, Infinity].map((bound, i) => {
    total += fields.counts[i] ?? 0;
    return { suffix: '_bucket', labels: { ...labels, le: numberText(bound) }, value: total };
  });
  return [
    ...buckets,
    { suffix: '_sum', labels, value: fields.sum },
    { suffix: '_count', labels, value: total },
  ];
}

function familyText({ name, type, help, samples }: Family): string {
  if (samples.length === 0) return '';
  const about = help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  const lines = samples.map(
    ({ suffix = '', labels, value }) => `${name}${suffix}${labelsText(labels)} ${numberText(value)}\n`,
  );
  return `# HELP ${name} ${about}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function labelsText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function numberText(value: number): string {
  return value === Infinity ? '+Inf' : String(value);
}

export function one(value: number): Sample {
  return { labels: {}, value };
}

export function gauge(name: string, help: string, samples: readonly Sample[]): Family {
  return { name, type: 'gauge', help, samples };
}

export function counter(name: string, help: string, samples: readonly Sample[]): Family {
  return { name, type: 'counter', help, samples };
}
