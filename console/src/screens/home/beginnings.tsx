// An empty project: three ways to begin.
import { useState } from 'preact/hooks';
import { may } from '../../api/session.ts';
import { go } from '../../router.ts';
import { CodeTabs } from '../../ui/code.tsx';
import { ErrorBox } from '../../ui/feedback.tsx';
import { curl, python, typescript } from '../../ui/snippets.ts';
import { useTask } from '../../ui/task.ts';
import { CreateIndex } from './create-index.tsx';
import { makeSampleIndex, SAMPLE_INDEX } from './sample-index.ts';

export function Beginnings({ onMade }: { readonly onMade: () => void }) {
  const [isCreating, setCreating] = useState(false);
  if (!may('control_plane::indexes::create')) {
    return <p class="empty">This project has no index yet, and your role does not create any.</p>;
  }
  return (
    <div class="beginnings">
      <SampleCard onMade={onMade} />
      <section class="card">
        <h2>An index of your own</h2>
        <p>Choose a dimension and a metric for vectors that you have, or a model that embeds your texts.</p>
        <button type="button" onClick={() => setCreating(true)}>
          Create an empty index
        </button>
      </section>
      <section class="card wide-card">
        <h2>From code</h2>
        <p>The official clients work unchanged.</p>
        <CodeTabs snippets={FIRST_INDEX} />
      </section>
      {isCreating && <CreateIndex onClose={() => setCreating(false)} onCreated={onMade} />}
    </div>
  );
}

function SampleCard({ onMade }: { readonly onMade: () => void }) {
  const task = useTask();
  const make = async () => {
    const isMade = await task.run(makeSampleIndex);
    onMade();
    if (isMade) go(['search'], { index: SAMPLE_INDEX, text: 'an animal that lives in the sea' });
  };
  return (
    <section class="card">
      <h2>Sample data</h2>
      <p>
        Makes the index <code>{SAMPLE_INDEX}</code>: short texts about animals, plants, food and the sky,
        embedded by the built-in model. It needs no internet.
      </p>
      <ErrorBox problem={task.problem} />
      <button type="button" class="main" disabled={task.isRunning} onClick={make}>
        {task.isRunning ? 'Making the index' : 'Load the sample data'}
      </button>
    </section>
  );
}

const NEW_INDEX = { name: 'books', dimension: 3, metric: 'cosine' };
const SPEC = { serverless: { cloud: 'aws', region: 'us-east-1' } };

const FIRST_INDEX = {
  get typescript() {
    return typescript([
      'await pinecone.createIndex({',
      "  name: 'books', dimension: 3,",
      "  spec: { serverless: { cloud: 'aws', region: 'us-east-1' } }, waitUntilReady: true,",
      '});',
      "const books = pinecone.index({ name: 'books' });",
      "await books.upsert({ records: [{ id: 'first', values: [0.1, 0.2, 0.3] }] });",
    ]);
  },
  get python() {
    return python([
      'from pinecone import ServerlessSpec',
      'pinecone.create_index("books", dimension=3, spec=ServerlessSpec(cloud="aws", region="us-east-1"))',
      'pinecone.Index("books").upsert([("first", [0.1, 0.2, 0.3])])',
    ]);
  },
  get curl() {
    return curl('POST', 'indexes', { ...NEW_INDEX, spec: SPEC });
  },
};
