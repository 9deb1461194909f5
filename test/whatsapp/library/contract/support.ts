/** Sources of Baileys, in short, for the contracts in docs/internals/engine.md. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The source of a function, in short: another digest means that Baileys has changed what is used. */
export const digest = (source: unknown): string =>
  createHash('sha256').update(String(source).replaceAll(/\s+/g, ' ')).digest('hex').slice(0, 12);

/** Not by resolving the package: the tests may run with one that is bundled (`tools/test-packages.ts`). */
const lib = join(import.meta.dirname, '../../../../node_modules/baileys/lib');

const sourceOf = (file: string): string => readFileSync(join(lib, file), 'utf8');

/** A function's text in a file of Baileys. */
export const inner = (file: string, name: string): string => {
  const text = sourceOf(file);
  const found = new RegExp(String.raw`^( *)(?:export )?const ${name} = [\s\S]*?^\1};`, 'm').exec(text);
  return found?.[0] ?? `${name} is not in ${file}`;
};
