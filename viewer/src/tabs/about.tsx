// SPDX-License-Identifier: MIT
// What the page is, how it is operated, and the licences of what it is made of.
import { Panel } from '../ui/tabs';
import type { Tab } from './registry';

const KEYS: [string, string][] = [
  ['Tab, Shift+Tab', 'move between controls'],
  ['← →', 'the next tab, or a cache that has the focus: to the next size; with Shift: by one block'],
  ['↑ ↓, Page Up, Page Down, Home, End', 'move through the rows of a table'],
  ['Enter', 'open the row'],
  ['/', 'search'],
  ['Alt+←', 'undo, as everywhere in the browser'],
];

function About() {
  return (
    <div class="columns">
      <Panel title="This page">
        <p>
          Deja wrote this page. It is complete: it contains the measurements and, unless they were left out, the sources, and it never
          asks a network for anything. The address shows what is chosen, so a link leads others to the same view.
        </p>
      </Panel>
      <Panel title="Numbers">
        <p>
          Misses are those of fully associative caches that evict the least recently used block. Numbers of the complete run come from its
          histogram of reuse distances. Numbers of rows are exact where the size of the cache is a bin edge. Those marked ≈ are interpolated.
        </p>
      </Panel>
      <Panel title="Keys">
        <dl class="facts">
          {KEYS.map(([keys, what]) => (
            <>
              <dt>{keys}</dt>
              <dd>{what}</dd>
            </>
          ))}
        </dl>
      </Panel>
      <Panel title="Licences">
        <pre class="licences" tabIndex={0}>
          {DEJA_LICENCES}
        </pre>
      </Panel>
    </div>
  );
}

export const about: Tab = { id: 'about', label: 'About', present: () => true, view: About };
