/** `npm run examples:webhooks`: writes the payloads recorded by `npm run examples` into docs/webhooks.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import recorded from '../src/http/openapi/examples.json' with { type: 'json' };
import { eventKinds } from '../src/domain/event.ts';
import { eventData } from '../src/contract/schemas/event.ts';
import { between } from './examples.ts';

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

const page = new URL('../docs/webhooks.md', import.meta.url);
const begin = '<!-- payloads: npm run examples:webhooks -->';
const end = '<!-- end of payloads -->';
const width = 118;

/** On one line if it fits, else one field a line. */
const print = (value: Json, indent = ''): string => {
  const flat = JSON.stringify(value).replaceAll('":', '": ').replaceAll(',"', ', "');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return flat;
  if (indent.length + flat.length <= width && indent !== '') return flat;
  const inner = `${indent}  `;
  const members = Object.entries(value).map(([name, member]) => `${inner}"${name}": ${print(member, inner)}`);
  return members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n${indent}}`;
};

const webhooks: Readonly<Record<string, Readonly<Record<string, Json>>>> = recorded.webhooks;

/** Updates the page with the recorded payloads. */
export const withPayloads = (text: string): string => {
  const sections = eventKinds.map((kind) => {
    const payloads = Object.values(webhooks[kind] ?? {}).map((payload) => `\`\`\`json\n${print(payload)}\n\`\`\``);
    return `### ${kind}\n\n${eventData[kind].when}.\n\n${payloads.join('\n\n')}`;
  });
  return between(text, begin, end, sections.join('\n\n'));
};

if (import.meta.main) writeFileSync(page, withPayloads(readFileSync(page, 'utf8')));
