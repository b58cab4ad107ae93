// SPDX-License-Identifier: MIT
// The tabs of the page, in order. A tab is absent if the profile has nothing for it.
import type { FunctionComponent } from 'preact';
import type { Profile } from '../profile';
import type { State } from '../state';
import { about } from './about';
import { advice } from './advice';
import { code } from './code';
import { compare } from './compare';
import { data } from './data';
import { inputs } from './inputs';
import { overview } from './overview';
import { phases } from './phases';
import { sharing } from './sharing';
import { spatial } from './spatial';

export interface TabProps {
  /** The profile to show: of a comparison, the one that the reader chose. */
  profile: Profile;
  /** The other one of a comparison. */
  other?: Profile;
  /** Which it is: 0, or 1 for the second. */
  side: number;
  state: State;
}

export interface Tab {
  id: string;
  label: string;
  present: (profile: Profile) => boolean;
  view: FunctionComponent<TabProps>;
}

export const tabs: Tab[] = [overview, code, data, spatial, sharing, inputs, phases, advice, compare, about];
