// SPDX-License-Identifier: MIT
// A table of any length: only the rows in view are in the document. Sorted by its headers, searched as one
// types, walked with the keyboard, exported as CSV, with a remainder row pinned below.
//
//   const columns = useMemo(() => [{ key: 'name', title: 'Name', kind: 'text', value: (r) => r.name }, …], […]);
//   <Table name="lines" label="Lines" rows={rows} columns={columns} sort="misses" onSelect={…} />
//
// Keep `columns` in useMemo: new columns sort again.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Cell, type Column, columnWidths } from './columns';
import { downloadCsv } from './download';
import { count } from './format';
import { usePrinting } from './printing';
import { matching, order } from './rank';

export type { Column } from './columns';

/** Each row has this height in pixels; style.css says the same. */
export const ROW_HEIGHT = 26;
const PRINTED_ROWS = 200;

export interface TableProps<T> {
  /** Of the file of an export, and `data-table`. */
  name: string;
  label: string;
  rows: readonly T[];
  columns: Column<T>[];
  /** Key of the column that sorts at first. */
  sort: string;
  ascending?: boolean;
  /** Index in `rows` of the selected row; -1 for none. */
  selected?: number;
  /** `walking`: the keyboard moves through the rows, so the change replaces the previous one. */
  onSelect?: (row: T, index: number, walking: boolean) => void;
  /** Enter or a double click. */
  onOpen?: (row: T, index: number) => void;
  /** Right and left arrows on the selected row: rows of a tree open and close. */
  onExpand?: (row: T, index: number, expand: boolean) => void;
  /** The remainder row, by the key of the column. */
  rest?: Remainder | null;
  /** Rows in view, at most; default 18. */
  height?: number;
  /** What to search; default: the values of the text columns. */
  searchText?: (row: T) => string;
  /** false: no search field and no export. */
  tools?: boolean;
  /** More controls, before the search field. */
  children?: ComponentChildren;
  /** Shown instead of an empty table. */
  empty?: string;
}

/** A cell of the remainder row: what it shows, and what CSV contains. */
export interface RestCell {
  text: string;
  value: number | string;
}

export type Remainder = Record<string, string | RestCell>;

const restText = (cell: string | RestCell | undefined) => (typeof cell === 'object' ? cell.text : (cell ?? ''));
const restValue = (cell: string | RestCell | undefined) => (typeof cell === 'object' ? cell.value : (cell ?? ''));
const restTip = (cell: string | RestCell | undefined) => (typeof cell === 'object' && typeof cell.value === 'number' && Number.isInteger(cell.value) ? count(cell.value) : restText(cell));

interface Sort {
  key: string;
  descending: boolean;
}

function useOrder<T>(props: TableProps<T>, sort: Sort, query: string): Uint32Array {
  const { rows, columns } = props;
  const texts = useMemo(() => {
    const known: string[] = [];
    const textual = columns.filter((c) => c.kind === 'text');
    const textOf = props.searchText ?? ((row: T) => textual.map((c) => String(c.value(row))).join(' '));
    return (i: number) => (known[i] ??= textOf(rows[i]!).toLowerCase());
  }, [rows]);
  const found = useMemo(() => matching(rows.length, texts, query), [rows, texts, query]);
  return useMemo(() => {
    const column = columns.find((c) => c.key === sort.key) ?? columns[0];
    return column ? order(rows, found, column.value, sort.descending) : found;
  }, [rows, found, columns, sort]);
}

function Header<T>(props: { columns: Column<T>[]; sort: Sort; onSort: (column: Column<T>) => void; widths: string }) {
  return (
    <div class="row head" role="row" aria-rowindex={1} style={{ gridTemplateColumns: props.widths }}>
      {props.columns.map((column, i) => {
        const sorted = props.sort.key === column.key;
        const direction = props.sort.descending ? 'descending' : 'ascending';
        return (
          <div role="columnheader" key={column.key} class={column.kind} aria-colindex={i + 1} aria-sort={sorted ? direction : 'none'}>
            <button type="button" data-column={column.key} aria-sort={sorted ? direction : undefined} title={column.help ?? `Sort by ${column.title}`} onClick={() => props.onSort(column)}>
              <span>{column.title}</span>
              <span class="sort" aria-hidden="true">{sorted ? (props.sort.descending ? '▾' : '▴') : ''}</span>
            </button>
          </div>
        );
      })}
    </div>
  );
}

function Rest<T>(props: { columns: Column<T>[]; rest: Remainder; widths: string; index: number }) {
  return (
    <div class="row rest" role="row" data-row="rest" aria-rowindex={props.index} style={{ gridTemplateColumns: props.widths }}>
      {props.columns.map((column) => (
        <div role="gridcell" key={column.key} class={`cell ${column.kind}`} title={restTip(props.rest[column.key])}>
          <span>{restText(props.rest[column.key])}</span>
        </div>
      ))}
    </div>
  );
}

// The part of the rows that is in view, and a function to bring a row into view.
function useWindow(length: number, shownRows: number) {
  const scroller = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const printing = usePrinting();
  const reveal = (at: number) => {
    const element = scroller.current;
    if (!element || at < 0) return;
    const head = ROW_HEIGHT + 2;
    const y = at * ROW_HEIGHT;
    if (y < element.scrollTop) element.scrollTop = y;
    else if (y + ROW_HEIGHT + head > element.scrollTop + element.clientHeight) element.scrollTop = y + ROW_HEIGHT + head - element.clientHeight;
  };
  const first = printing ? 0 : Math.max(0, Math.floor(top / ROW_HEIGHT) - 6);
  const last = printing ? Math.min(length, PRINTED_ROWS) : Math.min(length, Math.ceil(top / ROW_HEIGHT) + shownRows + 8);
  return { scroller, first, last, printing, reveal, onScroll: (event: Event) => setTop((event.currentTarget as HTMLElement).scrollTop) };
}

function exportRows<T>(props: TableProps<T>, indexes: Uint32Array): void {
  const { rows, rest } = props;
  const columns = props.columns.filter((c) => c.csv !== null);
  const table: (string | number)[][] = [columns.map((c) => c.title)];
  for (const i of indexes) table.push(columns.map((c) => (c.csv ?? c.value)(rows[i]!)));
  if (rest) table.push(columns.map((c) => restValue(rest[c.key])));
  downloadCsv(props.name, table);
}

function Tools<T>(props: { of: TableProps<T>; query: string; onQuery: (query: string) => void; found: Uint32Array }) {
  const { of, found } = props;
  return (
    <div class="toolbar" role="group" aria-label={`Controls of ${of.label}`}>
      {of.children}
      <span class="grow" />
      <span class="count" aria-live="polite">
        {props.query ? `${found.length} of ${of.rows.length}` : `${of.rows.length} row${of.rows.length === 1 ? '' : 's'}`}
      </span>
      {of.rows.length > 6 && (<input
        type="search"
        data-search
        placeholder="Search"
        aria-label={`Search ${of.label}`}
        value={props.query}
        onInput={(event) => props.onQuery(event.currentTarget.value)}
      />)}
      <button type="button" data-export="csv" onClick={() => exportRows(of, found)} aria-label={`Export ${of.label} as CSV`}>
        CSV
      </button>
    </div>
  );
}

const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 16, PageUp: -16, Home: -Infinity, End: Infinity };

export function Table<T>(props: TableProps<T>) {
  const { rows, columns, selected = -1 } = props;
  const [sort, setSort] = useState<Sort>({ key: props.sort, descending: !props.ascending });
  const [query, setQuery] = useState('');
  const indexes = useOrder(props, sort, query);
  const shownRows = Math.min(props.height ?? 18, Math.max(1, indexes.length));
  const view = useWindow(indexes.length, shownRows);
  const widths = useMemo(() => columnWidths(columns), [columns]);
  const at = selected >= 0 ? indexes.indexOf(selected) : -1;
  useLayoutEffect(() => view.reveal(at), [selected, indexes.length]);
  useEffect(() => setSort({ key: props.sort, descending: !props.ascending }), [props.sort]);

  const onSort = (column: Column<T>) => {
    const first = !(column.ascending ?? column.kind === 'text');
    setSort({ key: column.key, descending: sort.key === column.key ? !sort.descending : first });
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    const step = STEPS[event.key];
    if (event.key === 'Enter' && at >= 0) (props.onOpen ?? props.onSelect)?.(rows[selected]!, selected, false);
    if (/^Arrow(Left|Right)$/.test(event.key) && at >= 0 && props.onExpand) {
      event.preventDefault();
      props.onExpand(rows[selected]!, selected, event.key === 'ArrowRight');
    }
    if (step === undefined || indexes.length === 0) return;
    event.preventDefault();
    const to = Math.min(indexes.length - 1, Math.max(0, at + step));
    view.reveal(to);
    props.onSelect?.(rows[indexes[to]!]!, indexes[to]!, true);
  };

  const id = `table-${props.name}`;
  const body = [];
  for (let i = view.first; i < view.last; i++) {
    const index = indexes[i]!;
    const row = rows[index]!;
    body.push(
      <div
        key={index}
        id={`${id}-${index}`}
        class={`row${index === selected ? ' selected' : ''}${i % 2 ? ' odd' : ''}`}
        role="row"
        data-row={index}
        aria-rowindex={i + 2}
        aria-selected={index === selected}
        style={{ gridTemplateColumns: widths, transform: `translateY(${i * ROW_HEIGHT}px)` }}
        onClick={() => props.onSelect?.(row, index, false)}
        onDblClick={() => props.onOpen?.(row, index)}
      >
        {columns.map((column, k) => (
          <Cell key={column.key} column={column} row={row} index={k} />
        ))}
      </div>,
    );
  }
  const height = (view.printing ? view.last : indexes.length) * ROW_HEIGHT;
  return (
    <div class="table">
      {props.tools !== false && <Tools of={props} query={query} onQuery={setQuery} found={indexes} />}
      <div class="frame">
        <div
          class="scroller"
          ref={view.scroller}
          role="grid"
          data-table={props.name}
          aria-label={props.label}
          aria-rowcount={rows.length + 1 + (props.rest ? 1 : 0)}
          aria-colcount={columns.length}
          aria-activedescendant={at >= view.first && at < view.last ? `${id}-${selected}` : undefined}
          tabIndex={0}
          onKeyDown={onKey}
          onScroll={view.onScroll}
          style={{ maxHeight: view.printing ? 'none' : `${(shownRows + (props.rest ? 2 : 1)) * ROW_HEIGHT + 4}px` }}
        >
          <Header columns={columns} sort={sort} onSort={onSort} widths={widths} />
          <div class="body" role="rowgroup" style={{ height: `${height}px` }}>
            {body}
          </div>
          {props.rest && <Rest columns={columns} rest={props.rest} widths={widths} index={rows.length + 2} />}
        </div>
        {indexes.length === 0 && <p class="empty">{query ? 'Nothing matches.' : (props.empty ?? 'No rows.')}</p>}
      </div>
    </div>
  );
}
