// SPDX-License-Identifier: MIT
// Sections in components: decoded when a component first asks for them.
import { useEffect, useState } from 'preact/hooks';
import { has, section, type Where } from '../data/index';
import type { Sections } from '../data/sections';
import type { State } from '../state';

/** The value of a promise: undefined until it is known. `key` says when to ask again; a value of another key is not returned. */
export function usePromise<T>(make: () => Promise<T>, key: unknown[]): T | undefined {
  const [held, hold] = useState<{ value: T; key: unknown[] } | undefined>();
  useEffect(() => {
    let current = true;
    hold(undefined);
    make().then(
      (value) => current && hold({ value, key }),
      (error: unknown) => report(error),
    );
    return () => {
      current = false;
    };
  }, key);
  return held && held.key.every((part, i) => part === key[i]) ? held.value : undefined;
}

/** A section: undefined while it is being decoded, and if the page has none (see `has`). */
export function useSection<N extends keyof Sections>(name: N, where: Where = {}): Sections[N] | undefined {
  return usePromise(() => section(name, where), [name, where.profile ?? 0, where.lane ?? 0]);
}

/** The profile of a comparison that the reader chose; otherwise the only one. */
export function whereOf(state: State): Where {
  return { profile: state.params.side === '1' && has('view', { profile: 1 }) ? 1 : 0 };
}

/** Shows an exception to people and to tests. */
export function report(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  document.documentElement.dataset.error = text;
  console.error(error);
}
