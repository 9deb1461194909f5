/** Preloaded by `npm test`: shares compiled code between test processes and what they start. */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { loadPackagesBundled } from './packages.ts';

const folder = join(import.meta.dirname, '../../node_modules/.cache/tests');
enableCompileCache(folder);
process.env['NODE_COMPILE_CACHE'] ??= folder;
// Contract tests of the library use Baileys as installed.
if (!process.argv[1]?.includes('/library/contract/')) loadPackagesBundled();
