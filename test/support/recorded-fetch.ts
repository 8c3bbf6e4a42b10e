// A fetch for SDKs that remembers the version header of each request and what each index answer looked like.

export interface RecordedFetch {
  readonly fetch: typeof fetch;
  /** Every version header value sent, `none` where there was none. */
  readonly versions: ReadonlySet<string>;
}

export function recordedFetch(): RecordedFetch {
  const versions = new Set<string>();
  return {
    versions,
    fetch: (input, init) => {
      versions.add(new Headers(init?.headers).get('x-pinecone-api-version') ?? 'none');
      return fetch(input, init);
    },
  };
}
