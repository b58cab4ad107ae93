// SPDX-License-Identifier: MIT
// Light or dark: as the system says, until the reader chooses; paper is light. The choice outlives the page if it may.
import { listen, setParams, current, type Theme } from '../state';

const KEY = 'deja-theme';
const system = () => window.matchMedia('(prefers-color-scheme: dark)');
const paper = () => window.matchMedia('print');

function remembered(): Theme {
  try {
    return (localStorage.getItem(KEY) as Theme | null) ?? 'auto';
  } catch {
    return 'auto'; // no storage in some files and frames
  }
}

export function theme(): 'light' | 'dark' {
  if (paper().matches) return 'light';
  const chosen = current().params.theme || remembered();
  if (chosen === 'dark' || chosen === 'light') return chosen;
  return system().matches ? 'dark' : 'light';
}

function apply(): void {
  document.documentElement.dataset.theme = theme();
}

export function toggleTheme(): void {
  const to = theme() === 'dark' ? 'light' : 'dark';
  try {
    localStorage.setItem(KEY, to);
  } catch {
    // then it lasts as long as the page
  }
  document.documentElement.dataset.theme = to;
  setParams({ theme: to }, true);
}

/** Keeps the page's theme up to date; `changed` is called when the system changes. */
export function beginTheme(changed: () => void): void {
  apply();
  for (const media of [system(), paper()])
    media.addEventListener('change', () => {
      apply();
      changed();
    });
  listen(apply);
}
