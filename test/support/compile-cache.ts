/** Preloaded by `npm test`: what the process of one test file has compiled, the next one and what they start need not. */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { loadPackagesBundled } from './packages.ts';

const folder = join(import.meta.dirname, '../../node_modules/.cache/tests');
enableCompileCache(folder);
process.env['NODE_COMPILE_CACHE'] ??= folder;
// The contracts of the engine read Baileys as it is installed.
if (!process.argv[1]?.includes('/engine/contract/')) loadPackagesBundled();
