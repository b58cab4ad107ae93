// SPDX-License-Identifier: MIT
// Colours that people with any common colour blindness can tell apart, in light and dark. CSS variables of
// the same names are in style.css.

/** Whether the page is dark now. */
export function isDark(): boolean {
  return document.documentElement.dataset.theme === 'dark';
}

/** The value of a CSS variable, for canvases: `css('--text')`. */
export function css(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// Okabe and Ito's palette, with darker or lighter shades for contrast.
const LIGHT = ['#0072b2', '#d55e00', '#009e73', '#a8577e', '#b38600', '#3b8fc2', '#666666', '#8a5a2b'];
const DARK = ['#56b4e9', '#f08a3c', '#2fc79a', '#d991b7', '#e6b422', '#8ecbf0', '#a8a8a8', '#c89465'];

/** The colour of series `i`. */
export function series(i: number): string {
  const list = isDark() ? DARK : LIGHT;
  return list[i % list.length]!;
}

type Rgb = [number, number, number];
const SEVERITY_LIGHT: Rgb[] = [[255, 255, 255], [254, 237, 211], [253, 201, 143], [244, 136, 73], [203, 62, 36], [139, 14, 28]];
const SEVERITY_DARK: Rgb[] = [[24, 27, 33], [64, 42, 30], [112, 62, 30], [172, 88, 36], [226, 126, 58], [255, 190, 120]];

function mix(stops: Rgb[], at: number): Rgb {
  const place = Math.min(1, Math.max(0, at)) * (stops.length - 1);
  const i = Math.min(stops.length - 2, Math.floor(place));
  const [a, b] = [stops[i]!, stops[i + 1]!];
  return [0, 1, 2].map((k) => Math.round(a[k]! + (b[k]! - a[k]!) * (place - i))) as Rgb;
}

/** Severity from 0 (nothing) to 1 (the worst): a sequence of rising contrast with the background. */
export function severity(at: number): string {
  return `rgb(${mix(isDark() ? SEVERITY_DARK : SEVERITY_LIGHT, at).join(' ')})`;
}

/** The colour of text on `severity(at)`. */
export function onSeverity(at: number): string {
  if (isDark()) return at > 0.7 ? '#14161a' : '#e8eaee';
  return at > 0.6 ? '#ffffff' : '#1b1f27';
}

/** From -1 (better, blue) over 0 to 1 (worse, orange): for differences. */
export function better(at: number): string {
  const worse: Rgb[] = isDark() ? [[24, 27, 33], [226, 126, 58]] : [[255, 255, 255], [213, 94, 0]];
  const good: Rgb[] = isDark() ? [[24, 27, 33], [86, 180, 233]] : [[255, 255, 255], [0, 114, 178]];
  return `rgb(${mix(at < 0 ? good : worse, Math.abs(at)).join(' ')})`;
}

/** Text of a change from -1 (better) to 1 (worse). */
export function changeColor(at: number): string {
  if (!(Math.abs(at) > 0.002)) return 'inherit';
  if (isDark()) return at < 0 ? '#7cc4f5' : '#f5a25d';
  return at < 0 ? '#005f96' : '#b34a00';
}
