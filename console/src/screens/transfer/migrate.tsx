// Records from another database: by a command, since pages of this address may not ask other servers.
import { useState } from 'preact/hooks';
import type { Index } from '../../api/types.ts';
import { CodeBox } from '../../ui/code.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { baseAddress, shellQuoted } from '../../ui/snippets.ts';

const SOURCES = [
  { value: 'https://api.pinecone.io', text: 'The hosted service' },
  { value: 'http://HOST:5080', text: 'Another Pinyon' },
  { value: 'qdrant+http://HOST:6333', text: 'Qdrant' },
  { value: 'chroma+http://HOST:8000', text: 'Chroma' },
  { value: 'weaviate+http://HOST:8080', text: 'Weaviate' },
  { value: 'milvus+http://HOST:19530', text: 'Milvus' },
  { value: 'postgres://USER@HOST/DATABASE', text: 'PostgreSQL with pgvector' },
  { value: 'elasticsearch+http://HOST:9200', text: 'Elasticsearch' },
  { value: 'opensearch+http://HOST:9200', text: 'OpenSearch' },
];

export function Migrate({ index }: { readonly index: Index }) {
  const [source, setSource] = useState(SOURCES[0]?.value ?? '');
  const [collection, setCollection] = useState('');
  return (
    <section>
      <h2>From another database</h2>
      <div class="condition">
        <Select label="Database" value={source} choices={SOURCES} onValue={setSource} />
        <Input label="Its collection, index or table" value={collection} onValue={setCollection} />
      </div>
      <CodeBox text={commandOf({ source, collection, index: index.name })}>
        <span class="quiet">Copies the records into this index, goes on after a break, and compares</span>
      </CodeBox>
      <p class="quiet">
        Put keys and the address of the database in place of what is in capitals. The last line without
        --dry-run copies; with it, nothing is written, and you see what would change.
      </p>
    </section>
  );
}

interface Migration {
  readonly source: string;
  readonly collection: string;
  readonly index: string;
}

function commandOf({ source, collection, index }: Migration): string {
  const from = shellQuoted(source);
  const names = `${shellQuoted(collection === '' ? 'COLLECTION' : collection)} ${shellQuoted(index)}`;
  return [
    `export PINYON_URL=${shellQuoted(baseAddress())} PINYON_API_KEY='YOUR_API_KEY'`,
    "export PINYON_FROM_API_KEY='THE_KEY_OF_THE_SOURCE'",
    `pinyon migrate ${names} --from ${from} --dry-run`,
  ].join('\n');
}
