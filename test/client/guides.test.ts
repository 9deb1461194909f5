/** The READMEs of the clients. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { resources } from '../../client/src/resources.ts';

const root = join(import.meta.dirname, '../..');

it('the guide of each client names every resource', () => {
  for (const path of ['client/README.md', 'client-python/README.md']) {
    const list = /There are ([^.]+)\./.exec(readFileSync(join(root, path), 'utf8'))?.[1] ?? '';
    const named = [...list.matchAll(/`(\w+)`/g)].map(([, name]) =>
      name!.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    );
    assert.deepEqual(named.toSorted(), Object.keys(resources).toSorted(), path);
  }
});
