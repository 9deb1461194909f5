/** The data directory: identity, server state and phones, kept across restarts. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Certificates } from '../media/certificates.ts';
import type { PhoneSnapshot } from '../phones/snapshot.ts';
import type { HubSnapshot } from '../server/snapshot.ts';

/** Level by level, as the recursive form of Node 24 never returns if the file system accepts no folders, such as /proc. */
const makeFolder = async (path: string): Promise<void> => {
  if (existsSync(path)) return;
  await makeFolder(dirname(path));
  await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    // It may have been created meanwhile.
    if (!existsSync(path)) throw new Error(`the folder ${path} cannot be made`, { cause: error });
  });
};

const readJson = async (path: string): Promise<unknown> => {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw new Error(`${path} cannot be read`, { cause: error });
  }
};

const writeJson = async (path: string, json: string): Promise<void> => {
  await makeFolder(dirname(path));
  const part = `${path}.${randomUUID()}.part`;
  try {
    const file = await open(part, 'w', 0o600);
    try {
      await file.writeFile(json);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
};

export interface Identity {
  readonly rootKey: { readonly public: string; readonly private: string };
  readonly host: string;
  readonly certificates: Certificates;
  readonly ports: { readonly control: number; readonly socket: number; readonly media: number };
}

export interface SavedState {
  readonly identity: Identity | null;
  readonly hub: HubSnapshot | null;
  readonly phones: readonly PhoneSnapshot[];
}

export const nothingSaved: SavedState = { identity: null, hub: null, phones: [] };

export class DataDirectory {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  get media(): string {
    return join(this.#path, 'media');
  }

  async load(): Promise<SavedState> {
    await makeFolder(this.#phones);
    const phones: PhoneSnapshot[] = [];
    for (const name of (await readdir(this.#phones)).sort()) {
      // These files are written by this program only.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      if (name.endsWith('.json')) phones.push((await readJson(join(this.#phones, name))) as PhoneSnapshot);
    }
    return {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      identity: (await readJson(this.#file('identity'))) as Identity | null,
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      hub: (await readJson(this.#file('server'))) as HubSnapshot | null,
      phones,
    };
  }

  saveIdentity(identity: Identity): Promise<void> {
    return writeJson(this.#file('identity'), JSON.stringify(identity));
  }

  /** Phones first: after a crash in between, the server redelivers what a phone already has. All state must be taken at one moment. */
  async saveState(
    hub: string | null,
    phones: readonly { readonly number: string; readonly json: string }[],
  ): Promise<void> {
    for (const { number, json } of phones) await writeJson(join(this.#phones, `${number}.json`), json);
    if (hub !== null) await writeJson(this.#file('server'), hub);
  }

  get #phones(): string {
    return join(this.#path, 'phones');
  }

  #file(name: string): string {
    return join(this.#path, `${name}.json`);
  }
}
