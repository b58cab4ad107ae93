// SPDX-License-Identifier: MIT
// What the sections contain, by name. The decoder is generic: these types only say what C writes.
import type { Histogram, Rows } from './columns';

/** Accesses of a place by reuse distance: bin i is edges[first + i] up to edges[first + i + 1] - 1. */
export interface Tally {
  accesses: number;
  cold: number;
  writes: number;
  sum: number;
  min: number;
  max: number;
  first: number;
  bins: Float64Array;
}

export interface Cache {
  name: string;
  bytes: number;
  blocks: number;
}

export interface View {
  title: string;
  command: string;
  program: string;
  sentences: string[];
  marks: string[];
  facts: Rows<{ label: string; value: string }>;
  unit: string;
  block_bytes: number;
  caches: Rows<Cache>;
  edges: Float64Array;
  pair_from: number;
  sort_cut: number;
  effective: Rows<{ lo: number; hi: number; share: number; size: number; ratio: number }>;
  hills: Rows<{ lo: number; hi: number; reuses: number; share: number; name: string }>;
  curve: Rows<{ size: number; low: number; high: number }>;
  certified: boolean;
  cost: Rows<{ name: string; cycles: number }>;
  /** Of a profile of programs or threads that share caches, their number. */
  sharers: number;
  /** Set by the page: the numbers are estimates, from the header. */
  estimated: boolean;
  /** Set by the page: estimated time, if it is known. */
  stall?: StallTime;
  /** Set by the page: the block size at which `usage` was measured. */
  usage_block: number;
}

export interface SpatialCount {
  block: number;
  reuses: number;
  effective: number;
  long_reuses: number;
  long_effective: number;
}

export interface Usage {
  steps: number;
  grain: number;
  fetched: number;
  used: number;
  strides: Rows<{ stride: number; count: number }>;
}

export interface Sharing {
  broken: number;
  shortened: number;
  stretched: number;
  found: number;
  true_sharing: number;
  false_sharing: number;
  sharers: number;
  caches: Rows<{ misses: number; cold: number; invalidated: number; alone: number }>;
}

/** Estimated nanoseconds that the processor waits for memory. */
export interface Stall {
  low: number;
  estimate: number;
  high: number;
}

/** Estimated time of the run: `stall` by the kinds of misses, and `time` with the accesses themselves. */
export interface StallTime {
  /** The costs were measured on the machine that wrote the page. */
  calibrated: boolean;
  stall: Stall;
  time: Stall;
  parts: Rows<{ name: string; stall: Stall }>;
}

/** A simulated cache: misses of accesses, or of the fetches of the level before. */
export interface Level {
  name: string;
  size_blocks: number;
  ways: number;
  misses: number;
  cold: number;
  capacity: number;
  conflict: number;
  writebacks: number;
}

/** A function, loop, line, calling context, object, field or thread. Indexes are -1 for none. */
export interface Place {
  name: string;
  path?: string;
  file?: number;
  line?: number;
  last_line?: number;
  function?: string;
  module?: string;
  kind?: string;
  type?: string;
  bytes?: number;
  blocks?: number;
  parent?: number;
  depth?: number;
  iterations?: number;
  calls?: number;
  object?: number;
  element?: string;
  /** Of a node of the caller tree: the context in whose code it was inlined. */
  context?: number;
  tally: Tally;
  inclusive?: Tally | null;
  inclusive_stall?: Stall | null;
  distinct?: number;
  distinct_known?: boolean;
  distinct_exact?: boolean;
  /** In a comparison, the number of its counterpart in the other profile; -1: none. */
  match: number;
  spatial?: Rows<SpatialCount>;
  usage?: Usage | null;
  ranges?: Rows<{ low: number; high: number }>;
  sharing?: Sharing | null;
  stall?: Stall | null;
}

export interface Rest {
  rows: number;
  tally: Tally;
  spatial?: Rows<SpatialCount>;
  stall?: Stall | null;
}

export interface Places {
  rows: Rows<Place>;
  rest: Rest | null;
  total: Tally;
}

/** Functions that were inlined into the function of a context; `parent` is another row here, or -1. */
export interface Inlined {
  rows: Rows<Omit<Place, 'match'> & { context: number; parent: number; inclusive: Tally }>;
}

export interface Touch {
  object: number;
  field: number;
  line: number;
  tally: Tally;
}

export interface SourceFile {
  path: string;
  shown: boolean;
  lines: number;
  text: string;
  reason: string;
  /** The file is newer than the profile: its lines may not match. */
  newer?: boolean;
}

export interface Reuse {
  from: string;
  to: string;
  from_file: number;
  from_line: number;
  to_file: number;
  to_line: number;
  object: number;
  from_object: string;
  data: string;
  loop: string;
  next_iteration: boolean;
  advice: string;
  text: string;
  /** What the advice rests on, and the misses that it would save in the caches of the run. */
  evidence: string;
  saves: string;
  match: number;
  tally: Tally;
}

export interface SpatialRow {
  name: string;
  object: string;
  path: string;
  function: string;
  file: number;
  line: number;
  accesses: number;
  reuses: number;
  effective: number;
  far_reuses: number;
  far_effective: number;
  poor: number;
  share: number;
  fetched: number;
  used: number;
  saved: number;
  advice: string;
  text: string;
  low: number;
  high: number;
  weak: boolean;
  match: number;
}

export interface SpatialRanking {
  by: string;
  pair: number;
  cache: string;
  rows: Rows<SpatialRow>;
  left_out: number;
  poor_total: number;
  poor_left_out: number;
}

export interface Component {
  pair: number;
  kind: string;
  cache: string;
  lo: number;
  hi: number;
  reuses: number;
  effective: number;
  size: number;
  score: number;
  mean: number;
  good_temporal: boolean;
  good_spatial: boolean;
  serious: boolean;
}

/** Slices of the extent of an object: `slice_bytes` each, in parallel lists. */
export interface ElementMap {
  object: number;
  bytes: number;
  slice_bytes: number;
  overlaid?: boolean;
  accesses: Float64Array;
  cold: Float64Array;
  long: Float64Array;
  writes: Float64Array;
}

export interface DiffValue {
  before: number;
  after: number;
  error: number;
}

/** Before and after, for caches that were dragged; null: the rows of the profile with the same `match` have it. */
export interface DiffTallies {
  tally_before: Tally | null;
  tally_after: Tally | null;
}

export interface DiffRow extends DiffTallies {
  match: number;
  name: string;
  was: string;
  function: string;
  in_before: boolean;
  in_after: boolean;
  accesses_before: number;
  accesses_after: number;
  misses: Rows<DiffValue>;
}

export interface DiffRest extends DiffTallies {
  rows: number;
  accesses_before: number;
  accesses_after: number;
  misses: Rows<DiffValue>;
}

/** Indexes of what corresponds in the two profiles. */
export interface IndexPair {
  before: number;
  after: number;
}

export interface Diff {
  names: string[];
  verdict: string[];
  totals: Rows<{ name: string } & DiffValue>;
  caches: Rows<{ name: string; blocks: number }>;
  points: Rows<{ size: number; before: number; after: number }>;
  breakdowns: Rows<{ by: string; rows: Rows<DiffRow>; rest?: DiffRest | null }>;
  not_compared: string;
}

export interface Moments {
  count: number;
  min: number;
  max: number;
  mean: number;
  median: number;
  std: number;
}

export interface Lane {
  block_bytes: number;
  filter: string;
  partition: string;
  sampling: number;
  accesses: number;
  distinct: number;
  cold: number;
  distance: Moments;
}

/** The histogram of a lane. `binned`: a value is the end of a bin, so sizes within bins are not exact. */
export interface LaneHistogram {
  binned: boolean;
  histogram: Histogram | null;
}

export interface Windows {
  length: number;
  duration: number;
  rows: Rows<{ first: number; time: number; accesses: number; cold: number; distinct: number; bins: Float64Array }>;
}

/** Sections by name. Those typed `any` have the fields of docs/formats.md, and their tabs type them. */
export interface Sections {
  view: View;
  objects: Places;
  functions: Places;
  loops: Places;
  lines: Places;
  contexts: Places;
  inlined: Inlined;
  threads: Places;
  fields: Places;
  touches: { rows: Rows<Touch>; rest: Rest | null };
  files: { rows: Rows<SourceFile> };
  reuses: { rows: Rows<Reuse>; rest: Rest | null };
  stall: StallTime;
  hierarchy: { caches: Rows<Level> };
  spatial_rows: { rankings: Rows<SpatialRanking> };
  components: { rows: Rows<Component> };
  elements: { rows: Rows<ElementMap> };
  diff: Diff;
  pairs: { phases: Rows<IndexPair>; sharers: Rows<IndexPair>; hills: Rows<IndexPair> };
  lane: Lane;
  histogram: LaneHistogram;
  windows: Windows;
  /* eslint-disable @typescript-eslint/no-explicit-any */
  header: any;
  traffic: any;
  phases: any;
  false_sharing: any;
  sharing: any;
  spatial: any;
  partitions: any;
  sample: any;
  tracing: any;
  sizes: any;
  time: any;
  bytes: any;
  simulated: any;
  strides: any;
  joint: any;
  corun: any;
  inputs: any;
  advice: any;
}
