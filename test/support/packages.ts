/** The bundled packages of the tests (`tools/test-packages.ts`), and how a process loads them. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '../..');
const version = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex');

export const packagesFolder = join(root, 'node_modules/.cache/packages', version.slice(0, 16));
export const manifestName = 'packages.json';

/** The file of each import; null unless built from the installed packages. */
export const readManifest = (): Readonly<Record<string, string>> | null => {
  try {
    return JSON.parse(readFileSync(join(packagesFolder, manifestName), 'utf8')) as Record<string, string>;
  } catch {
    return null;
  }
};

/** Affects later imports. Packages see each other unbundled. */
export const loadPackagesBundled = (): void => {
  const files = new Map(
    Object.entries(readManifest() ?? {}).map(([name, file]) => [name, pathToFileURL(join(packagesFolder, file)).href]),
  );
  if (files.size === 0) return;
  registerHooks({
    resolve(name, context, next) {
      const url = files.get(name);
      if (url !== undefined && context.parentURL?.includes('/node_modules/') === false)
        return { url, format: 'module', shortCircuit: true };
      return next(name, context);
    },
  });
};
