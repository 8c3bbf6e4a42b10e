// One index: its records, namespaces and settings.
import { may } from '../../api/session.ts';
import type { Index } from '../../api/types.ts';
import { hrefOf, route } from '../../router.ts';
import { Empty, Shown } from '../../ui/feedback.tsx';
import { Lazy } from '../../ui/lazy.tsx';
import { PageHead, SubNav } from '../../ui/page.tsx';
import { useResource } from '../../ui/resource.ts';
import { indexKey, readIndex } from '../first-reads.ts';
import { isDocumentIndex } from './index-kind.ts';
import { Namespaces } from './namespaces.tsx';
import { Records } from './records.tsx';
import { Settings } from './settings.tsx';

const TABS = [
  { name: 'map', title: 'Map' },
  { name: 'namespaces', title: 'Namespaces' },
  { name: 'history', title: 'History' },
  { name: 'branches', title: 'Branches' },
  { name: 'judgments', title: 'Judgments' },
  { name: 'transfer', title: 'Import and export' },
  { name: 'settings', title: 'Settings' },
];

const loadMap = () => import('../map/map.tsx').then(({ NamespaceMap }) => NamespaceMap);
const loadHistory = () => import('./history.tsx').then(({ History }) => History);
const loadBranches = () => import('./branches.tsx').then(({ Branches }) => Branches);
const loadJudgments = () => import('../judgments/judgment-sets.tsx').then(({ JudgmentSets }) => JudgmentSets);
const loadTransfer = () => import('../transfer/transfer.tsx').then(({ Transfer }) => Transfer);

export function IndexScreen() {
  const [, name = ''] = route.value.path;
  const index = useResource(indexKey(name), (signal) => readIndex(name, signal));
  return (
    <>
      <PageHead
        title={
          <>
            <a class="crumb" href={hrefOf([])}>
              Indexes /
            </a>{' '}
            {name}
          </>
        }
      >
        {may('data_plane::vectors::read') && (
          <a class="button" href={hrefOf(['search'], { index: name })}>
            Search this index
          </a>
        )}
      </PageHead>
      <Shown of={index}>{(value) => <Tabs key={name} index={value} reload={index.reload} />}</Shown>
    </>
  );
}

function Tabs({ index, reload }: { readonly index: Index; readonly reload: () => void }) {
  const records = isDocumentIndex(index) ? 'Documents' : 'Records';
  const tabs = [{ name: 'records', title: records }, ...TABS];
  const { tab = 'records' } = route.value.values;
  return (
    <>
      <SubNav label="Parts of the index" path={['indexes', index.name]} tabs={tabs} tab={tab} />
      {tab === 'records' && <Records index={index} />}
      {tab === 'map' && <Lazy load={loadMap} props={{ index }} />}
      {tab === 'namespaces' && <Namespaces index={index} />}
      {tab === 'history' && <Lazy load={loadHistory} props={{ index }} />}
      {tab === 'branches' && <Lazy load={loadBranches} props={{ index }} />}
      {tab === 'judgments' && <Lazy load={loadJudgments} props={{ index }} />}
      {tab === 'transfer' && <Lazy load={loadTransfer} props={{ index }} />}
      {tab === 'settings' && <Settings index={index} reload={reload} />}
      {!tabs.some(({ name }) => name === tab) && <Empty title="There is no such page." />}
    </>
  );
}
