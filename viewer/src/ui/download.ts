// SPDX-License-Identifier: MIT
// Files that the page hands to the browser: made here, without any request.

export function download(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name.replace(/[^\w.-]+/g, '-');
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function csvCell(value: string | number): string {
  let text = String(value);
  // A spreadsheet must not take a name for a formula.
  if (typeof value === 'string' && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
  return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

export function csv(rows: (string | number)[][]): string {
  return rows.map((row) => row.map(csvCell).join(',')).join('\r\n') + '\r\n';
}

export function downloadCsv(name: string, rows: (string | number)[][]): void {
  download(`${name}.csv`, new Blob([csv(rows)], { type: 'text/csv' }));
}

/** The text of an SVG element with the colours it has now, readable outside the page. */
export function svgText(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const from = [svg, ...svg.querySelectorAll<SVGElement>('*')];
  const to = [copy, ...copy.querySelectorAll<SVGElement>('*')];
  const kept = ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'opacity', 'fill-opacity', 'font-size', 'font-family', 'font-weight', 'text-anchor', 'paint-order'];
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const name of kept) to[i]!.setAttribute(name, style.getPropertyValue(name));
    to[i]!.removeAttribute('class');
    to[i]!.removeAttribute('style');
  });
  const { width, height } = svg.getBoundingClientRect();
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', String(Math.round(width)));
  copy.setAttribute('height', String(Math.round(height)));
  if (!copy.getAttribute('viewBox')) copy.setAttribute('viewBox', `0 0 ${Math.round(width)} ${Math.round(height)}`);
  const background = getComputedStyle(document.documentElement).getPropertyValue('--panel').trim() || '#fff';
  const paper = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  paper.setAttribute('width', '100%');
  paper.setAttribute('height', '100%');
  paper.setAttribute('fill', background);
  copy.insertBefore(paper, copy.firstChild);
  return new XMLSerializer().serializeToString(copy);
}

export function downloadSvg(name: string, text: string): void {
  download(`${name}.svg`, new Blob([text], { type: 'image/svg+xml' }));
}

/** Draws SVG text into a PNG of twice its size. */
export function downloadPng(name: string, text: string, width: number, height: number): void {
  const image = new Image();
  const url = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
  image.onload = () => {
    const canvas = document.createElement('canvas');
    canvas.width = width * 2;
    canvas.height = height * 2;
    const context = canvas.getContext('2d')!;
    context.scale(2, 2);
    context.drawImage(image, 0, 0, width, height);
    URL.revokeObjectURL(url);
    canvas.toBlob((blob) => blob && download(`${name}.png`, blob), 'image/png');
  };
  image.src = url;
}
