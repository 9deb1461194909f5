/** Link previews, fetched through the guarded outbound. They never fail or delay a send: what is late or missing is left out. */
import type { Clock } from '../../domain/clock.ts';
import { firstLink, type PageFacts } from '../../domain/messages/links.ts';
import type { OutgoingContent, OutgoingPreview } from '../../domain/messages/outgoing.ts';
import type { Network } from '../../domain/network.ts';
import type { FileAnswer, Outbound } from '../../domain/outbound.ts';
import { type HandsetError, requestTimeout } from '../../errors.ts';
import type { RequestDeadline } from '../time/deadline.ts';
import type { LiveParts } from '../parts.ts';
import type { DeviceRuntime } from '../sessions/device-runtime.ts';
import type { FileIntake } from './files.ts';
import { openSession } from './readiness.ts';

const previewMs = 5_000;
const maxHead = 512 * 1_024;
const maxAnnounced = 16 * 1_048_576;

interface PreviewParts {
  readonly outbound: Pick<Outbound, 'stream'>;
  readonly network: Pick<Network, 'readPage'>;
  readonly files: Pick<FileIntake, 'with'>;
  readonly clock: Clock;
}

interface PreviewRequest {
  readonly userId: number;
  readonly deadline: Pick<RequestDeadline, 'signal'>;
}

const readPage = async (
  { outbound, network }: PreviewParts,
  url: string,
  userId: number,
  signal: AbortSignal,
): Promise<PageFacts | null> => {
  const pieces: Uint8Array[] = [];
  let size = 0;
  let contentType: string | null = null;
  const onAnswer = (answer: FileAnswer): void => void ({ contentType } = answer);
  const limits = { maxBytes: maxAnnounced, timeoutMs: previewMs, accept: 'text/html', signal, onAnswer };
  for await (const piece of outbound.stream(url, limits)) {
    pieces.push(Buffer.from(piece));
    size += piece.length;
    if (size >= maxHead) break;
  }
  return network.readPage(Buffer.concat(pieces).subarray(0, maxHead), contentType, { userId, signal });
};

const thumbnailOf = async (
  { files }: PreviewParts,
  { picture }: PageFacts,
  page: string,
  userId: number,
  signal: AbortSignal,
): Promise<Uint8Array | null> => {
  if (picture === null || !URL.canParse(picture, page)) return null;
  let thumbnail: Uint8Array | null = null;
  const watch = (late: (error: HandsetError) => void) => {
    const tell = (): void => late(requestTimeout());
    signal.addEventListener('abort', tell, { once: true });
    return () => signal.removeEventListener('abort', tell);
  };
  const deadline: RequestDeadline = { passed: null, watch, signal };
  const source = { url: new URL(picture, page).href };
  await files.with(source, { kind: 'image' }, null, { userId, deadline }, async (content) => {
    if (content.kind === 'image') ({ thumbnail } = content.image);
  });
  return thumbnail;
};

const previewOf = async (
  parts: PreviewParts,
  text: string,
  { userId, deadline }: PreviewRequest,
): Promise<OutgoingPreview | null> => {
  const url = firstLink(text);
  if (url === null) return null;
  const late = new AbortController();
  const end = requestTimeout();
  const timer = parts.clock.after(previewMs, () => late.abort(end));
  const signal = AbortSignal.any([late.signal, deadline.signal]);
  const ended = new Promise<null>((resolve) => signal.addEventListener('abort', () => resolve(null), { once: true }));
  try {
    const facts = await Promise.race([readPage(parts, url, userId, signal).catch(() => null), ended]);
    if (facts === null) return null;
    const { title, description } = facts;
    const picture = thumbnailOf(parts, facts, url, userId, signal).catch(() => null);
    return { url, title, description, thumbnail: await Promise.race([picture, ended]) };
  } finally {
    timer.cancel();
    late.abort(end);
  }
};

export const previewer = (parts: LiveParts, files: FileIntake) => {
  const { outbound, network, clock } = parts;
  return async (
    runtime: DeviceRuntime,
    content: OutgoingContent,
    deadline: PreviewRequest['deadline'],
  ): Promise<OutgoingContent> => {
    if (content.kind !== 'text') return content;
    await openSession(parts, runtime);
    const preview = await previewOf({ outbound, network, files, clock }, content.text, {
      userId: runtime.userId,
      deadline,
    });
    return preview === null ? content : { ...content, preview };
  };
};
