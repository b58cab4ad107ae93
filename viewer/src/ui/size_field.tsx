// SPDX-License-Identifier: MIT
// A field to type the size of the chosen cache.
import { useEffect, useState } from 'preact/hooks';
import type { View } from '../data/sections';
import { parseSize } from '../model/size';
import { setSize, sizeLimits, type State } from '../state';
import { cacheSize } from './format';

export function SizeField(props: { view: View; state: State }) {
  const { view, state } = props;
  const index = state.cache;
  const blocks = state.sizes[index]!;
  const say = (size: number) => cacheSize(size, view.block_bytes, view.unit);
  const [typed, type] = useState<string | undefined>(undefined);
  const [error, fail] = useState('');
  const { name } = view.caches.at(index);
  useEffect(() => (type(undefined), fail('')), [index, blocks]);
  const apply = () => {
    if (typed === undefined) return;
    const [least, most] = sizeLimits(index);
    const below = index > 0 ? view.caches.at(index - 1).name : '';
    const above = index + 1 < state.sizes.length ? view.caches.at(index + 1).name : '';
    const size = parseSize(typed, { blockBytes: view.block_bytes, unit: view.unit, least, most, below, above }, say);
    if ('error' in size) return fail(size.error);
    type(undefined);
    fail('');
    if (size.blocks !== blocks) setSize(index, size.blocks);
  };
  return (
    <form class="size-field noprint" onSubmit={(event) => (event.preventDefault(), apply())}>
      <label>
        <span class="visually-hidden">Size of {name}</span>
        <span class="muted" aria-hidden="true">size</span>
        <input
          type="text"
          data-size
          size={9}
          autocomplete="off"
          spellcheck={false}
          value={typed ?? say(blocks)}
          title={`Size of ${name}: type one and press Enter, such as 32K or 1.5M`}
          aria-invalid={error !== ''}
          aria-describedby={error ? 'size-error' : undefined}
          onInput={(event) => (type(event.currentTarget.value), fail(''))}
          onFocus={(event) => event.currentTarget.select()}
          onBlur={apply}
          onKeyDown={(event) => event.key === 'Escape' && (type(undefined), fail(''))}
        />
      </label>
      {error && (
        <span id="size-error" class="size-error" role="alert">
          {error}
        </span>
      )}
    </form>
  );
}
