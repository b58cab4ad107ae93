// SPDX-License-Identifier: MIT
// Tabs, and choices among a few values, operable with the keyboard as WAI-ARIA describes.
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';

export interface Choice {
  id: string;
  label: string;
  /** Shown when the pointer rests on it. */
  help?: string;
}

/** A list of tabs; `level` 1 for those of the page, 2 within a tab. Its panels have the id `panel-ID`. */
export function Tabs(props: { choices: Choice[]; chosen: string; onChoose: (id: string) => void; label: string; level?: 1 | 2 }) {
  const list = useRef<HTMLDivElement>(null);
  const { choices, chosen, onChoose } = props;
  const onKey = (event: KeyboardEvent) => {
    const at = choices.findIndex((choice) => choice.id === chosen);
    const steps: Record<string, number> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: choices.length - 1 };
    const next = steps[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const to = (next + choices.length) % choices.length;
    onChoose(choices[to]!.id);
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[to]?.focus();
  };
  return (
    <div class={`tabs level-${props.level ?? 1}`} role="tablist" aria-label={props.label} ref={list} onKeyDown={onKey}>
      {choices.map((choice) => (
        <button
          key={choice.id}
          type="button"
          role="tab"
          id={`tab-${choice.id}`}
          data-tab={choice.id}
          title={choice.help}
          aria-selected={choice.id === chosen}
          aria-controls={`panel-${choice.id}`}
          tabIndex={choice.id === chosen ? 0 : -1}
          onClick={() => onChoose(choice.id)}
        >
          {choice.label}
        </button>
      ))}
    </div>
  );
}

/** One of a few values, side by side. */
export function Segments(props: { choices: Choice[]; chosen: string; onChoose: (id: string) => void; label: string }) {
  const { choices, chosen, onChoose } = props;
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const to = (choices.findIndex((choice) => choice.id === chosen) + step + choices.length) % choices.length;
    onChoose(choices[to]!.id);
    (event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('[role=radio]')[to]?.focus();
  };
  return (
    <div class="segments" role="radiogroup" aria-label={props.label} onKeyDown={onKey}>
      {choices.map((choice) => (
        <button
          key={choice.id}
          type="button"
          role="radio"
          data-choice={choice.id}
          title={choice.help}
          aria-checked={choice.id === chosen}
          tabIndex={choice.id === chosen ? 0 : -1}
          onClick={() => onChoose(choice.id)}
        >
          {choice.label}
        </button>
      ))}
    </div>
  );
}

/** A row of controls above a table or chart. */
export function Toolbar(props: { children: ComponentChildren; label?: string }) {
  return (
    <div class="toolbar" role="group" aria-label={props.label ?? 'Controls'}>
      {props.children}
    </div>
  );
}

/** A titled part of a tab. */
export function Panel(props: { title?: string; note?: ComponentChildren; actions?: ComponentChildren; class?: string; children: ComponentChildren }) {
  return (
    <section class={`panel ${props.class ?? ''}`} aria-label={props.title}>
      {(props.title || props.actions) && (
        <header>
          {props.title && <h2>{props.title}</h2>}
          {props.note && <span class="note">{props.note}</span>}
          {props.actions && <span class="actions">{props.actions}</span>}
        </header>
      )}
      {props.children}
    </section>
  );
}
