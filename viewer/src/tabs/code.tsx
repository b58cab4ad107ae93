// SPDX-License-Identifier: MIT
import type { Tab } from './registry';

export const code: Tab = { id: 'code', label: 'Code', present: () => true, view: () => null };
