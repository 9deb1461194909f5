/** Opens the configured media store. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { KeptFiles } from '../domain/messages/kept-media.ts';
import { folderFiles } from './folder.ts';
import { s3Files, type S3Options } from './s3.ts';

export type MediaPlace =
  | { readonly kind: 'folder'; readonly path: string }
  | ({ readonly kind: 's3' } & Omit<S3Options, 'folder'>);

export interface MediaStoreOptions {
  readonly dataDir: string;
  /** Null: the data folder. */
  readonly mediaStore: MediaPlace | null;
  readonly databaseUrl: string | null;
  readonly durability: 'power' | 'process';
}

const mediaFolder = (dataDir: string): string => join(dataDir, 'media');

export const draftFolder = (dataDir: string): string => join(dataDir, 'media-drafts');

/** Null if nodes share a database but no media store: each would have its own folder. */
export const openMediaStore = (options: MediaStoreOptions): KeptFiles | null => {
  const { dataDir, mediaStore, databaseUrl, durability } = options;
  const flush = durability === 'power';
  if (mediaStore?.kind === 's3') {
    return s3Files({ ...mediaStore, folder: draftFolder(dataDir) });
  }
  if (mediaStore !== null) return folderFiles({ path: mediaStore.path, flush });
  return databaseUrl === null ? folderFiles({ path: mediaFolder(dataDir), flush }) : null;
};

export const tryMediaStore = async (files: KeptFiles): Promise<void> => {
  const name = { deviceId: 0, file: `doctor-${randomUUID()}` };
  const bytes = Buffer.from('handset');
  const draft = await files.create(name, bytes.length);
  try {
    await draft.write(bytes);
    await draft.keep();
  } catch (error) {
    await draft.drop();
    throw error;
  }
  const pieces: Uint8Array[] = [];
  for await (const piece of await files.read(name, 0, bytes.length)) pieces.push(piece);
  await files.remove(name);
  if (!Buffer.concat(pieces).equals(bytes)) throw new Error('what was written there reads differently');
};
