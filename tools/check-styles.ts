#!/usr/bin/env node
/** Fails on sizes and colours in the dashboard's CSS that are not in its scale (`dashboard/src/styles/scale.css`). Part of `npm run check`. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '..', 'dashboard', 'src');
const scale = 'styles/scale.css';

const scaled =
  /^(?:font|font-size|font-weight|line-height|letter-spacing|(?:row-|column-)?gap|(?:padding|margin)(?:-[a-z-]+)?|border-radius|transition|animation)$/;

/** A literal length, time or number other than zero. */
const literal = /(?<![\w-])-?(?!0(?![.\d]))[\d.]+(?:px|em|rem|m?s|%)?(?![\w%-])/;
const colour = /#[\da-f]{3,8}\b|\b(?:rgb|hsl|oklch)a?\(/i;

/** Removes references and their factors. */
const withoutReferences = (value: string): string =>
  value.replaceAll(/var\(--[\w-]+\)/g, '').replaceAll(/calc\([-\d\s*+/]*\)|\b\d+(?:vw|vh|fr)\b/g, '');

const isStray = (property: string, value: string): boolean =>
  colour.test(value) || (scaled.test(property) && literal.test(withoutReferences(value)));

const found = globSync('**/*.css', { cwd: folder })
  .filter((path) => path !== scale)
  .flatMap((path) =>
    [...readFileSync(join(folder, path), 'utf8').matchAll(/^\s*([a-z-]+):\s*([^;{}]+);/gm)]
      .filter(([, property = '', value = '']) => isStray(property, value))
      .map(([declaration]) => `dashboard/src/${path}: ${declaration.trim()}`),
  );
for (const line of found) process.stderr.write(`${line}\n`);
if (found.length > 0) {
  process.stderr.write(`${found.length} declarations use a value that is not of the scale.\n`);
  process.exitCode = 1;
}
