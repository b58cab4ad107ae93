// SPDX-License-Identifier: MIT
// Source text as coloured pieces, line by line. Prism only splits the text into tokens: the page makes
// elements of them, so no text of a profile is ever read as HTML.
import Prism from 'prismjs/components/prism-core';
import 'prismjs/components/prism-clike';
import 'prismjs/components/prism-c';
import 'prismjs/components/prism-cpp';
import 'prismjs/components/prism-fortran';

/** A piece of a line; `kind` is Prism's type of token, '' for plain text. */
export interface Piece {
  kind: string;
  text: string;
}

const MOST = 1 << 19; // longer texts stay plain

interface Token {
  type: string;
  content: string | Token | (string | Token)[];
}

function languageOf(path: string): string {
  const end = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  if (/^(f|for|ftn|f77|f90|f95|f03|f08|fh|inc)$/.test(end)) return 'fortran';
  if (/^(cc|cpp|cxx|c\+\+|hpp|hxx|hh|h|cu|cuh|ipp|tcc|inl)$/.test(end)) return 'cpp';
  return end === 'c' ? 'c' : /^(rs|go|java|js|ts|d|swift|zig)$/.test(end) ? 'clike' : '';
}

function flatten(of: string | Token | (string | Token)[], kind: string, out: Piece[]): void {
  if (typeof of === 'string') out.push({ kind, text: of });
  else if (Array.isArray(of)) for (const part of of) flatten(part, kind, out);
  else flatten(of.content, of.type, out);
}

/** The lines of a text in pieces. */
export function highlight(text: string, path: string): Piece[][] {
  const language = languageOf(path);
  const grammar = language && text.length <= MOST ? Prism.languages[language] : undefined;
  const pieces: Piece[] = [];
  if (grammar) flatten(Prism.tokenize(text, grammar) as (string | Token)[], '', pieces);
  else pieces.push({ kind: '', text });
  const lines: Piece[][] = [[]];
  for (const piece of pieces) {
    piece.text.split('\n').forEach((part, i) => {
      if (i > 0) lines.push([]);
      if (part) lines[lines.length - 1]!.push({ kind: piece.kind, text: part.replace(/\r$/, '') });
    });
  }
  if (lines.length > 1 && lines[lines.length - 1]!.length === 0) lines.pop();
  return lines;
}
