/** A received file on its way to Chatwoot: through a temporary file, never whole in memory. */
import { openAsBlob, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { NewFile } from './chatwoot.ts';
import type { HandsetClient, Message } from './handset.ts';
import { Refused } from './http.ts';

const extensions: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'video/mp4': 'mp4',
  'audio/ogg': 'ogg',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'audio/aac': 'aac',
  'application/pdf': 'pdf',
};

const nameOf = ({ id, type, media }: Message, mimetype: string): string =>
  media?.fileName ?? `${type}-${id.replaceAll(/\W/g, '')}.${extensions[mimetype] ?? 'bin'}`;

/** Gives the file of a message to `use`, or null where the network no longer has it. */
export const withFile = async <T>(
  handset: HandsetClient,
  message: Message,
  use: (file: NewFile | null) => Promise<T>,
): Promise<T> => {
  const response = await handset.media(message).catch((error: unknown) => {
    if (error instanceof Refused && error.status === 404) return null;
    throw error;
  });
  if (response?.body == null) return use(null);
  const folder = await mkdtemp(join(tmpdir(), 'handset-chatwoot-'));
  try {
    const path = join(folder, 'file');
    await pipeline(Readable.fromWeb(response.body), createWriteStream(path, { mode: 0o600 }));
    const type = (message.media?.mimetype ?? 'application/octet-stream').split(';')[0]!.trim();
    return await use({ blob: await openAsBlob(path, { type }), name: nameOf(message, type) });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
