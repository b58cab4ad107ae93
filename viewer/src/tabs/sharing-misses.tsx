// SPDX-License-Identifier: MIT
// Misses of each sharer in each cache as dragged, by kind.
import { useMemo } from 'preact/hooks';
import * as format from '../ui/format';
import { type Column, Table } from '../ui/table';
import { Panel } from '../ui/tabs';
import { levelName, type Level, type SharingPage } from './sharing';
import { inCache, type Kinds as Counts, kindsOf, type Sharer } from './sharing-model';

interface Row {
  level: Level;
  levelAt: number;
  sharer: Sharer;
  at: number;
  kinds: Counts;
}

const KINDS = ['cold', 'capacity', 'coherence', 'interference'] as const;
const HELP: Record<(typeof KINDS)[number], string> = {
  cold: 'This cache accesses the block for the first time',
  capacity: 'Evicted; at most as many as when the sharer runs alone',
  coherence: 'Another cache has written to the block since this one last accessed it',
  interference: 'Evictions beyond that: the others need space',
};

function rowsOf(page: SharingPage): Row[] {
  const rows: Row[] = [];
  page.levels.forEach((level, levelAt) =>
    page.sharers.forEach((sharer, at) => {
      const here = inCache(sharer, level.width, page.sharerCount);
      if (here) rows.push({ level, levelAt, sharer, at, kinds: kindsOf(sharer, here, level.blocks) });
    }),
  );
  return rows;
}

const mark = (row: Row, text: string) => (row.kinds.exact ? '' : '≈') + text;

function columnsOf(page: SharingPage): Column<Row>[] {
  const ratio = (row: Row, n: number) => mark(row, format.percent(n, row.sharer.standalone.accesses));
  return [
    { key: 'cache', title: 'Cache', kind: 'text', value: (r) => r.levelAt, csv: (r) => levelName(page, r.level), format: (r) => levelName(page, r.level), ascending: true, width: 'minmax(12em, 1.2fr)' },
    { key: 'sharer', title: 'Sharer', kind: 'text', value: (r) => r.sharer.name },
    { key: 'misses', title: 'Misses', kind: 'number', value: (r) => r.kinds.all, format: (r) => mark(r, format.count(r.kinds.all)), width: '8em' },
    { key: 'ratio', title: 'Ratio', kind: 'number', value: (r) => r.kinds.all / (r.sharer.standalone.accesses || 1), format: (r) => ratio(r, r.kinds.all), heat: (r) => Math.min(0.8, r.kinds.all / (r.sharer.standalone.accesses || 1)) },
    { key: 'alone', title: 'Alone', kind: 'number', value: (r) => r.kinds.alone / (r.sharer.standalone.accesses || 1), format: (r) => ratio(r, r.kinds.alone), help: 'The miss ratio without the others' },
    ...KINDS.map((kind): Column<Row> => ({ key: kind, title: kind.charAt(0).toUpperCase() + kind.slice(1), kind: 'number', value: (r) => r.kinds[kind], format: (r) => mark(r, format.short(r.kinds[kind])), help: HELP[kind] })),
  ];
}

function Stack(props: { page: SharingPage; level: Level; rows: Row[] }) {
  const most = Math.max(1e-9, ...props.rows.map((row) => row.kinds.all / (row.sharer.standalone.accesses || 1)));
  return (
    <>
      <h3>{levelName(props.page, props.level)}</h3>
      {props.rows.map((row) => {
        const whole = row.sharer.standalone.accesses || 1;
        const said = KINDS.map((kind) => `${kind} ${format.percent(row.kinds[kind], whole)}`).join(', ');
        return (
          <>
            <span>{row.sharer.name}</span>
            <span class="parts" role="img" aria-label={`${row.sharer.name}: ${said}`} title={said}>
              {KINDS.map((kind) => (
                <i key={kind} class={`part-${kind}`} style={{ width: `${(100 * row.kinds[kind]) / whole / most}%` }} />
              ))}
            </span>
            <span class="number">{mark(row, format.percent(row.kinds.all, whole))}</span>
          </>
        );
      })}
    </>
  );
}

const DRAWN = 8;

/** Stacked bars, and the table of all sharers and caches. */
export function Kinds(props: { page: SharingPage }) {
  const { page } = props;
  const key = page.levels.map((level) => level.blocks).join();
  const rows = useMemo(() => rowsOf(page), [page.sharing, key]);
  const columns = useMemo(() => columnsOf(page), [page.sharing, key]);
  if (!rows.length) return null;
  return (
    <Panel
      title="Misses by kind"
      actions={
        <span class="legend">
          {KINDS.map((kind) => (
            <span key={kind} title={HELP[kind]}>
              <i class={`box part-${kind}`} />
              {kind}
            </span>
          ))}
        </span>
      }
    >
      <div class="stack">
        {page.levels.map((level, i) => (
          <Stack key={i} page={page} level={level} rows={rows.filter((row) => row.levelAt === i).sort((a, b) => b.kinds.all / (b.sharer.standalone.accesses || 1) - a.kinds.all / (a.sharer.standalone.accesses || 1)).slice(0, DRAWN)} />
        ))}
      </div>
      {page.sharers.length > DRAWN && <p class="legend-text">The {DRAWN} sharers with the highest miss ratios; all are in the table.</p>}
      <br />
      <Table name="sharing-misses" label="Misses by cache and sharer" rows={rows} columns={columns} sort="cache" ascending height={12} />
      <p class="legend-text">
        The four kinds add up to all misses. A miss counts as coherence if another cache has written to the block since this one last accessed it, even if the block had been evicted.
        Interference is what exceeds the capacity misses of the sharer alone. Each cache is measured as if every access reached it.
      </p>
    </Panel>
  );
}
