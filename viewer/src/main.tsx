// SPDX-License-Identifier: MIT
import { render } from 'preact';
import 'uplot/dist/uPlot.min.css';
import { App } from './app';
import { loadIndex } from './data/index';
import { profile } from './profile';
import { begin, update } from './state';
import './style.css';
import { report } from './ui/section';
import { beginTheme } from './ui/theme';

async function start(): Promise<void> {
  const root = document.getElementById('app')!;
  loadIndex();
  const loaded = await profile();
  if (!loaded) {
    root.textContent = 'This page contains no profile. Write one with: deja view PROFILE';
    return;
  }
  begin(loaded.view);
  beginTheme(() => update({}, true));
  document.title = `${loaded.view.title} – Deja`;
  render(<App profile={loaded} />, root);
  requestAnimationFrame(() => {
    document.documentElement.dataset.ready = '1';
    performance.mark('deja-ready');
  });
}

window.addEventListener('error', (event) => report(event.error ?? event.message));
window.addEventListener('unhandledrejection', (event) => report(event.reason));
start().catch(report);
