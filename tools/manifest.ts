#!/usr/bin/env node
/** Used around `npm pack`: replaces the manifest by one whose dependencies are only those not in the bundle. `--restore` brings the original back. */
import { globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { builtFolder } from '../src/cli/built.js';

const manifest = join(import.meta.dirname, '..', 'package.json');
const kept = join(builtFolder, 'package.json');
/** Fields that are useless without the sources. */
const ofSources = ['scripts', 'devDependencies', 'allowScripts'];

/** Packages imported by the bundle. */
const imported = (): ReadonlySet<string> => {
  const code = globSync('*.js', { cwd: builtFolder }).map((name) => readFileSync(join(builtFolder, name), 'utf8'));
  const names = code.flatMap((text) =>
    [...text.matchAll(/\bfrom"((?:@[\w.-]+\/)?\w[\w:./-]*)"/g)].map(([, name = '']) => name),
  );
  return new Set(names.filter((name) => !isBuiltin(name)));
};

if (process.argv.includes('--restore')) {
  renameSync(kept, manifest);
} else {
  const text = readFileSync(manifest, 'utf8');
  const { dependencies = {}, ...all }: Record<string, Record<string, string>> = JSON.parse(text);
  const published = Object.entries(all).filter(([name]) => !ofSources.includes(name));
  const needed = [...imported()].map((name): [string, string | undefined] => [name, dependencies[name]]);
  const missing = needed.filter(([, version]) => version === undefined);
  if (missing.length > 0) throw new Error(`the bundle imports ${missing.join()}, which is no dependency`);
  // npm fails where the folder is missing, and then never runs postpack, which brings the manifest back.
  const destination = process.env['npm_config_pack_destination'];
  if (destination !== undefined && destination !== '') mkdirSync(destination, { recursive: true });
  writeFileSync(kept, text);
  const lean = { ...Object.fromEntries(published), dependencies: Object.fromEntries(needed) };
  writeFileSync(manifest, `${JSON.stringify(lean, null, 2)}\n`);
}
