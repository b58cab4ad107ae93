// SPDX-License-Identifier: MIT
// The tabs of the page, in order. A tab is absent if the profile has nothing for it.
import type { FunctionComponent } from 'preact';
import type { Profile } from '../profile';
import type { State } from '../state';
import { about } from './about';
import { code } from './code';
import { data } from './data';
import { overview } from './overview';

export interface TabProps {
  profile: Profile;
  state: State;
}

export interface Tab {
  id: string;
  label: string;
  present: () => boolean;
  view: FunctionComponent<TabProps>;
}

export const tabs: Tab[] = [overview, code, data, about];
