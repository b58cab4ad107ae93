// SPDX-License-Identifier: MIT
// What the run cost: estimated time by the kinds of misses, and the simulated caches.
import type { Level, StallTime, View } from '../data/sections';
import type { Whole } from '../profile';
import { moved } from '../state';
import { bytes, duration, percent, share, short, size } from '../ui/format';
import { useSection } from '../ui/section';
import { stallNote, stallRange, stallText } from '../ui/stall';
import { Panel } from '../ui/tabs';

/** Estimated time, by the kinds of misses that take it. */
export function EstimatedTime(props: { view: View; known: StallTime }) {
  const { view, known } = props;
  const { stall, time } = known;
  const parts = known.parts.toArray().filter((part) => part.stall.estimate > 0).sort((a, b) => b.stall.estimate - a.stall.estimate);
  return (
    <Panel title="Estimated time" note={stallNote(view)}>
      <p>
        The processor waits <b data-number="stall" data-value={stall.estimate}>{stallText(stall.estimate)}</b> for memory, {stallRange(stall)}. With the accesses, on one processor: {stallText(time.estimate)}, {stallRange(time)}.
      </p>
      {parts.length > 0 && (
        <table class="plain-table">
          <thead>
            <tr><th scope="col">Misses</th><th scope="col">Time</th><th scope="col">Share</th><th scope="col">From</th><th scope="col">To</th></tr>
          </thead>
          <tbody>
            {parts.map((part) => (
              <tr>
                <td>{part.name}</td>
                <td>{stallText(part.stall.estimate)}</td>
                <td>{share(part.stall.estimate, stall.estimate)}</td>
                <td>{duration(part.stall.low)}</td>
                <td>{duration(part.stall.high)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {!known.calibrated && <p class="muted">Typical costs of processors with these caches. “deja info machine --calibrate” measures those of this machine.</p>}
    </Panel>
  );
}

function LevelRow(props: { level: Level; view: View; whole: Whole; writes: boolean }) {
  const { level, view, whole } = props;
  const { accesses } = whole.lane;
  const amount = (blocks: number) => (view.block_bytes ? bytes(blocks * view.block_bytes) : short(blocks));
  return (
    <tr data-level={level.name} data-misses={level.misses} data-full={whole.curve.misses(level.size_blocks)}>
      <td>{level.name}, {view.block_bytes ? bytes(level.size_blocks * view.block_bytes) : size(level.size_blocks)}</td>
      <td>{level.ways === level.size_blocks ? 'full' : level.ways}</td>
      <td>{short(level.misses)}</td>
      <td>{percent(level.misses, accesses)}</td>
      <td>{share(level.cold, level.misses)}</td>
      <td>{share(level.capacity, level.misses)}</td>
      <td>{share(level.conflict, level.misses)}</td>
      <td>{whole.exactAt(level.size_blocks) ? '' : '≈'}{percent(whole.curve.ratio(level.size_blocks))}</td>
      <td>{amount(level.misses)}</td>
      <td>{props.writes ? amount(level.writebacks) : '?'}</td>
    </tr>
  );
}

/** The caches with their sets, as in the text report. They are those of the run, whatever is dragged. */
export function Simulated(props: { view: View; whole: Whole; side: number }) {
  const found = useSection('hierarchy', { profile: props.side });
  const traffic = useSection('traffic', { profile: props.side });
  if (!found) return null;
  return (
    <Panel title="Caches with their sets" note={`simulated, one behind the other${moved() ? '; those of the run, not as dragged' : ''}`}>
      <div class="wide"><table class="plain-table" data-table="hierarchy">
        <thead>
          <tr>
            {['Cache', 'Ways', 'Misses', 'Of accesses', 'Cold', 'Capacity', 'Conflict', 'Full', 'Fetched', 'Written'].map((title) => <th scope="col" key={title}>{title}</th>)}
          </tr>
        </thead>
        <tbody>
          {found.caches.map((level) => <LevelRow key={level.name} level={level} view={props.view} whole={props.whole} writes={(traffic?.reads ?? 0) + (traffic?.writes ?? 0) > 0} />)}
        </tbody>
      </table></div>
      <p class="muted">
        Full: misses of fully associative caches, each seeing all accesses. All other numbers and rows of this page are for such caches; the tables of “deja report” have the misses with sets.
        Conflict: would hit in a fully associative cache. Fetched, written: from and to the next level, or memory.
      </p>
    </Panel>
  );
}
