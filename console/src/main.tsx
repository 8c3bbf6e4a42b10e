// The console: starts in the page that the service serves.
import { render } from 'preact';
import { state } from './api/session.ts';
import { findSession } from './api/sign-in.ts';
import { App } from './app.tsx';
import { readFirst } from './screens/first-reads.ts';
import './styles/base.css';
import './styles/controls.css';
import './styles/layout.css';
import './styles/data.css';
import './styles/records.css';

const root = document.getElementById('app');
if (root !== null) render(<App />, root);
void findSession().catch(() => undefined);
if (state.value === 'remembered') readFirst();
