/** The media of a message. Each request counts against the rate limit, so the newest files are kept for the next look. */
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useAccount } from '../../../account/account.tsx';
import type { Client } from '../../../api/client.ts';
import { useLatest } from '../../../api/hooks.ts';
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

const wholeOf = async (client: Client, path: string): Promise<Blob> => (await client.raw(path)).blob();

/** The first bytes. The service ignores the range for media that it does not keep, so the rest is not read. */
const beginningOf = async (client: Client, path: string): Promise<Blob> => {
  const answer = await client.raw(path, { headers: { range: `bytes=0-${maxKeptBytes - 1}` } });
  const reader = answer.body!.getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let bytes = 0; bytes < maxKeptBytes;) {
    const { value, done } = await reader.read();
    if (done) break;
    parts.push(value);
    bytes += value.byteLength;
  }
  await reader.cancel();
  return new Blob(parts).slice(0, maxKeptBytes, answer.headers.get('content-type') ?? '');
};

const loadFile = async (client: Client, path: string, isWhole: boolean): Promise<Blob> => {
  const files = kept.get(client) ?? new Map<string, Blob>();
  kept.set(client, files);
  const name = `${isWhole} ${path}`;
  const known = files.get(name);
  if (known !== undefined) return known;
  const blob = harmless(await (isWhole ? wholeOf : beginningOf)(client, path));
  if (blob.size <= maxKeptBytes) files.set(name, blob);
  const [oldest] = files.keys();
  if (files.size > maxKept && oldest !== undefined) files.delete(oldest);
  return blob;
};

export interface LoadedFile {
  /** An object URL once it is loaded. */
  readonly url: string | null;
  readonly load: () => Promise<string>;
  /** An object URL of the first bytes, enough for the first picture of most videos. */
  readonly beginning: string | null;
  readonly loadBeginning: () => Promise<void>;
  readonly download: () => Promise<void>;
}

/** Released when it changes. */
const useObjectUrl = () => {
  const state = useState<string | null>(null);
  const [url] = state;
  useEffect(
    () => () => {
      if (url !== null) URL.revokeObjectURL(url);
    },
    [url],
  );
  return state;
};

export const useFile = ({ id, chat, media }: Message): LoadedFile => {
  const { client } = useAccount();
  const { device } = useShown();
  const [url, setUrl] = useObjectUrl();
  const [beginning, setBeginning] = useObjectUrl();
  const path = `/v1/devices/${device.id}/messages/${encodeURIComponent(id)}/media?chat=${encodeURIComponent(chat)}`;
  const load = async (): Promise<string> => {
    if (url !== null) return url;
    const loaded = URL.createObjectURL(await loadFile(client, path, true));
    setUrl(loaded);
    return loaded;
  };
  const loadBeginning = async (): Promise<void> =>
    setBeginning(URL.createObjectURL(await loadFile(client, path, false)));
  return { url, load, beginning, loadBeginning, download: async () => save(await load(), fileNameOf(media) ?? id) };
};

/** Leaves half of the requests of a minute for what the user does. */
const isAffordable = (rate: Client['rate']): boolean =>
  rate === null || rate.resetsAt < Date.now() || rate.remaining > rate.limit / 2;

/** Loads a small file, or the beginning of a large video, once its placeholder is in view. One that fails to load can be requested by a click. */
export const useInline = ({ media, type }: Message, file: LoadedFile): RefObject<HTMLDivElement | null> => {
  const { client } = useAccount();
  const place = useRef<HTMLDivElement>(null);
  const bytes = media?.bytes ?? null;
  const isSmall = bytes !== null && bytes <= maxKeptBytes;
  const isWanted = file.url === null && bytes !== null && (isSmall || (type === 'video' && file.beginning === null));
  const load = useLatest(() => {
    if (isAffordable(client.rate)) (isSmall ? file.load() : file.loadBeginning()).catch(() => undefined);
  });
  useEffect(() => {
    if (!isWanted || place.current === null) return;
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      load();
    });
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [isWanted, load]);
  return place;
};
