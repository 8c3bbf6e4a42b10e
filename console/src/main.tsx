// The console: starts in the page that the service serves.
import { render } from 'preact';
import { findSession } from './api/sign-in.ts';
import { App } from './app.tsx';
import './styles/base.css';
import './styles/controls.css';
import './styles/layout.css';
import './styles/data.css';
import './styles/records.css';

const root = document.getElementById('app');
if (root !== null) render(<App />, root);
void findSession().catch(() => undefined);
