// Requests as code in three languages: the official clients for TypeScript and Python, and curl.

export interface Snippets {
  readonly typescript: string;
  readonly python: string;
  readonly curl: string;
}

const KEY = 'YOUR_API_KEY';

/** The address of this server as this browser reaches it. */
export function baseAddress(): string {
  return new URL('.', document.baseURI).href.replace(/\/$/, '');
}

/** A request by curl, with a JSON body if there is one. */
export function curl(method: string, path: string, body?: object): string {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${shellQuoted(`${baseAddress()}/${path}`)}`,
    `  -H 'Api-Key: ${KEY}'`,
    ...(body === undefined
      ? []
      : [`  -H 'content-type: application/json'`, `  -d ${shellQuoted(JSON.stringify(body))}`]),
  ];
  return lines.join(' \\\n');
}

/** A POST as plain requests, for calls that the clients lack or write differently from release to release. */
export function postSnippets(path: string, body: object): Snippets {
  const address = literal(`${baseAddress()}/${path}`);
  return {
    typescript: [
      `const response = await fetch(${address}, {`,
      "  method: 'POST',",
      `  headers: { 'Api-Key': '${KEY}', 'content-type': 'application/json' },`,
      `  body: JSON.stringify(${literal(body, 2)}),`,
      '});',
      'console.log(await response.json());',
    ].join('\n'),
    python: [
      'import json, urllib.request',
      '',
      'request = urllib.request.Request(',
      `    ${address},`,
      `    json.dumps(${pythonLiteral(body)}).encode(),`,
      `    {"Api-Key": "${KEY}", "content-type": "application/json"},`,
      ')',
      'print(json.load(urllib.request.urlopen(request)))',
    ].join('\n'),
    curl: curl('POST', path, body),
  };
}

export function typescript(lines: readonly string[]): string {
  return [
    "import { Pinecone } from '@pinecone-database/pinecone';",
    '',
    'const pinecone = new Pinecone({',
    `  apiKey: '${KEY}',`,
    `  controllerHostUrl: ${literal(baseAddress())},`,
    '});',
    ...lines,
  ].join('\n');
}

export function python(lines: readonly string[]): string {
  return [
    'from pinecone import Pinecone',
    '',
    `pinecone = Pinecone(api_key="${KEY}", host=${JSON.stringify(baseAddress())})`,
    ...lines,
  ].join('\n');
}

/** A value as TypeScript. */
export function literal(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent);
}

/** A value as Python. */
export function pythonLiteral(value: unknown): string {
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value === null) return 'None';
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`;
  if (typeof value === 'object') {
    const members = Object.entries(value).map(
      ([name, each]) => `${JSON.stringify(name)}: ${pythonLiteral(each)}`,
    );
    return `{${members.join(', ')}}`;
  }
  return JSON.stringify(value);
}

export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
