/** `/docs`: one page that draws the OpenAPI document and lets the reader try it; works offline, no other host. */
import { createHash } from 'node:crypto';
import { docsScript } from './docs-script.ts';
import { docsStyle } from './docs-style.ts';

const sourceOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Only this script and this style, and only this host. */
export const docsPolicy = [
  "default-src 'none'",
  `script-src ${sourceOf(docsScript)}`,
  `style-src ${sourceOf(docsStyle)}`,
  "connect-src 'self'",
  'img-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const docsPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Handset: API docs</title>
<style>${docsStyle}</style>
</head>
<body>
<nav aria-label="Operations"></nav>
<main></main>
<script type="module">${docsScript}</script>
</body>
</html>
`;
