// SPDX-License-Identifier: MIT
// What build.mjs defines.

/** The licences of all packages of which the page contains code. */
declare const DEJA_LICENCES: string;

declare module "*.css";
// Languages of Prism, imported for what they add to it.
declare module "prismjs/components/*";
