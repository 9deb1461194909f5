/** The media of a message. Each request counts against the rate limit, so the newest files are kept for the next look. */
import { useEffect, useState } from 'react';
import { useAccount } from '../../../account/account.tsx';
import type { Client } from '../../../api/client.ts';
import type { Message } from '../../../api/message.ts';
import { fileNameOf } from './file-name.ts';
import { useShown } from '../../shown/shown.ts';

/** Types that run nothing when somebody opens the file by its blob URL, which belongs to the dashboard's origin. */
const passive = /^(?:image\/(?:png|jpeg|gif|webp)|(?:video|audio)\/[\w.+-]+)(?:;|$)/i;

const harmless = (file: Blob): Blob =>
  file.slice(0, file.size, passive.test(file.type) ? file.type : 'application/octet-stream');

/** Opens the browser's download dialog. */
const save = (url: string, name: string): void => {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
};

const maxKept = 40;
/** Larger files, mostly videos, would fill the tab's memory. */
const maxKeptBytes = 2_000_000;

/** Files by path. They are released with the client when the user signs out. */
const kept = new WeakMap<Client, Map<string, Blob>>();

const loadFile = async (client: Client, path: string): Promise<Blob> => {
  const files = kept.get(client) ?? new Map<string, Blob>();
  kept.set(client, files);
  const known = files.get(path);
  if (known !== undefined) return known;
  const blob = harmless(await (await client.raw(path)).blob());
  if (blob.size <= maxKeptBytes) files.set(path, blob);
  const [oldest] = files.keys();
  if (files.size > maxKept && oldest !== undefined) files.delete(oldest);
  return blob;
};

export interface LoadedFile {
  /** An object URL once it is loaded. */
  readonly url: string | null;
  readonly load: () => Promise<string>;
  readonly download: () => Promise<void>;
}

export const useFile = ({ id, chat, media }: Message): LoadedFile => {
  const { client } = useAccount();
  const { device } = useShown();
  const [url, setUrl] = useState<string | null>(null);
  useEffect(
    () => () => {
      if (url !== null) URL.revokeObjectURL(url);
    },
    [url],
  );
  const load = async (): Promise<string> => {
    if (url !== null) return url;
    const path = `/v1/devices/${device.id}/messages/${encodeURIComponent(id)}/media?chat=${encodeURIComponent(chat)}`;
    const loaded = URL.createObjectURL(await loadFile(client, path));
    setUrl(loaded);
    return loaded;
  };
  return { url, load, download: async () => save(await load(), fileNameOf(media) ?? id) };
};
