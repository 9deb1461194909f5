/**
 * Bundles the programs that tests start most often as processes of their own, each into a file: from its sources the service takes a second
 * to load, and the tests start it hundreds of times.
 */
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { bundledName } from '../test/system/support/child.ts';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'node_modules/.cache/test-children');
const programs = ['test/support/traps/service.ts', 'test/system/support/handset.ts', 'test/system/support/sandbox.ts'];
/** Packages that others name and that are not installed. */
export const absent = ['audio-decode', 'jimp', 'link-preview-js'];
/** Native code, and packages that find files of their own. */
const apart = [/^node:/, 'sharp', 'pg', 'pino', 'whatsapp-rust-bridge'];

/** Paths relative to a source file stay those of the source. */
const keepPlaces = (code: string, id: string): string | null =>
  code.includes('import.meta.')
    ? code
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
    : null;

/** Returns the folder, for the variable `TEST_CHILDREN` (`test/system/support/child.ts`). */
export const bundleChildren = async (): Promise<string> => {
  const build = await rolldown({
    input: Object.fromEntries(programs.map((path) => [bundledName(join(root, path)), join(root, path)])),
    cwd: root,
    platform: 'node',
    external: [...apart, ...absent],
    plugins: [{ name: 'places', transform: keepPlaces }],
    onLog: () => undefined,
  });
  rmSync(folder, { recursive: true, force: true });
  await build.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[hash].mjs' });
  return folder;
};
