// SPDX-License-Identifier: MIT
import type { Tab } from './registry';

export const data: Tab = { id: 'data', label: 'Data', present: () => true, view: () => null };
