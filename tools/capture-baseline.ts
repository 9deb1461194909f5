/** `npm run capture:baseline`: plays the journeys of the parity test with Handset, and adds the shapes of their stanzas to the baseline of captures. */
import { readFile, writeFile } from 'node:fs/promises';
import { playAll } from '../test/parity/baseline.ts';

const target = new URL('../src/cli/commands/capture-baseline.json', import.meta.url);
const known: unknown = JSON.parse(await readFile(target, 'utf8'));
const shapes = new Set([...(Array.isArray(known) ? known.map(String) : []), ...(await playAll())]);
await writeFile(target, `${JSON.stringify([...shapes].toSorted(), null, 1)}\n`);
console.log(`${shapes.size} shapes, written`);
process.exit(0);
