// SPDX-License-Identifier: MIT
import type { Tab } from './registry';

export const overview: Tab = { id: 'overview', label: 'Overview', present: () => true, view: () => null };
