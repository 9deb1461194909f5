/** Scheduled albums: their files are stored as one, concatenated. */
import { ofItem } from '../../domain/messages/outgoing.ts';
import type { RandomAccessBytes } from '../../domain/messages/files.ts';
import { givenBytes, type ScheduledContent } from '../../domain/messages/scheduled.ts';
import type { UploadedFile } from '../media/uploads.ts';
import type { FileIntake, FileSource } from '../sending/files.ts';
import type { AlbumItem, AlbumToSend } from '../sending/album.ts';
import type { LiveParts } from '../parts.ts';
import type { DeviceScope } from '../sessions/runtimes.ts';

type AlbumContent = Extract<ScheduledContent, { readonly kind: 'album' }>;
type KeptItem = AlbumContent['items'][number];

const inMemory = (bytes: Uint8Array): RandomAccessBytes => ({
  size: bytes.length,
  read: async (offset, length) => bytes.subarray(offset, offset + length),
});

const sizeOf = (files: readonly RandomAccessBytes[]): number => files.reduce((sum, { size }) => sum + size, 0);

const joined = (files: readonly RandomAccessBytes[]): RandomAccessBytes => ({
  size: sizeOf(files),
  async read(offset, length) {
    const parts: Uint8Array[] = [];
    let start = 0;
    for (const file of files) {
      const from = Math.max(0, offset - start);
      const to = Math.min(file.size, offset + length - start);
      if (from < to) parts.push(Uint8Array.from(await file.read(from, to - from)));
      start += file.size;
    }
    return Buffer.concat(parts);
  },
});

const partOf = (file: RandomAccessBytes, from: number, size: number): RandomAccessBytes => ({
  size,
  read: (offset, length) => file.read(from + offset, Math.max(0, Math.min(length, size - offset))),
});

const nothing = async (): Promise<void> => undefined;

interface Kept {
  readonly items: KeptItem[];
  readonly files: RandomAccessBytes[];
}

const add = ({ items, files }: Kept, caption: string | null, file: UploadedFile): void => {
  const { plain, fileName, mimetype } = file;
  items.push({ caption, source: { given: { bytes: plain.size, offset: sizeOf(files), fileName, mimetype } } });
  files.push(plain);
};

/** Checks what needs no network, and passes what is to be stored to `keep`. */
export const albumKeeper =
  ({ uploads }: LiveParts, files: FileIntake) =>
  async (
    scope: DeviceScope,
    { items, deadline }: Pick<AlbumToSend, 'items' | 'deadline'>,
    keep: (content: AlbumContent, file: RandomAccessBytes | undefined) => Promise<void>,
  ): Promise<void> => {
    const kept: Kept = { items: [], files: [] };
    const done = Promise.withResolvers<void>();
    const holds: Promise<void>[] = [];
    /** The upload stays open until everything is stored. */
    const opened = (fileId: string): Promise<UploadedFile> => {
      const { promise, resolve, reject } = Promise.withResolvers<UploadedFile>();
      const hold = uploads.use(scope, fileId, async (upload) => {
        resolve(upload);
        await done.promise;
      });
      holds.push(hold.catch(reject));
      return promise;
    };
    const take = async ({ source, caption }: AlbumItem): Promise<void> => {
      const check = (from: FileSource) => files.withPicture(from, caption, { userId: scope.userId, deadline }, nothing);
      if ('fileId' in source) {
        const upload = await opened(source.fileId);
        await check({ upload });
        return add(kept, caption, upload);
      }
      if ('upload' in source) throw new Error('Only files of a request are kept');
      await files.check(source, 'video');
      if ('url' in source) return void kept.items.push({ caption, source });
      await check(source);
      add(kept, caption, { plain: inMemory(source.bytes), fileName: null, mimetype: 'application/octet-stream' });
    };
    try {
      for (const [index, item] of items.entries())
        await take(item).catch((error: unknown) => {
          throw ofItem(error, index);
        });
      await keep({ kind: 'album', items: kept.items }, kept.files.length === 0 ? undefined : joined(kept.files));
    } finally {
      done.resolve();
      await Promise.all(holds);
    }
  };

export const itemsOf = (content: AlbumContent, open: (bytes: number) => RandomAccessBytes): readonly AlbumItem[] => {
  const all = open(givenBytes(content));
  return content.items.map(({ caption, source }) => {
    if ('url' in source) return { caption, source };
    const { offset, bytes, fileName, mimetype } = source.given;
    const upload = { plain: partOf(all, offset, bytes), fileName, mimetype: mimetype ?? 'application/octet-stream' };
    return { caption, source: { upload } };
  });
};
